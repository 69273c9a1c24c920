"""What the tools that write answer, and what stands around each answer."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import Field

from cairn.serving.models import answers
from cairn.serving.models.fields import Model

A = TypeVar("A", bound=Model)


@dataclass(frozen=True)
class ToolAnswer(Generic[A]):
    """An answer as an agent gets it."""

    answer: A
    generation: str | None = None
    """Generation of vectors that it is of."""
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    """By list, how many rows are missing since the answer would be too large."""

    @property
    def namespace(self) -> str:
        """Whose memory it is of: every answer says that."""
        return getattr(self.answer, "namespace")  # noqa: B009  no field of `Model`


class Recorded(Model):
    """What became of something that was told. It is on disk, without its secrets."""

    namespace: str
    what: str = Field(description="confirm, retract, reaction, note, command or tombstone")
    ids: list[str] = Field(description="What it is about.")
    event_id: str = Field(description="Send it again with the same, and nothing is written twice.")
    record_id: str = Field(description="Id of its record from the next run on.")
    written: bool = Field(description="False if it was told before.")
    takes_effect: str


class ForgottenForAgents(answers.Forgotten):
    """What goes, or would go, and what stays."""

    BRIEF = (
        "namespace", "target_type", "id", "everywhere", "dry_run", "lines_removed",
        "lines_still_naming", "ready", "counts", "rows", "event_id", "record_id", "written",
        "takes_effect",
    )  # fmt: skip
    CUT = ("rows",)

    takes_effect: str
