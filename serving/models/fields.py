"""How a field of an answer is declared: what it is, once, for every surface."""

from datetime import datetime
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from cairn.knowledge.schema.tables import Table as Rows

AT = datetime.fromisoformat("2026-03-13T14:06:54Z")
FILE = "/home/mira/.claude/projects/lantern-shop/797df401.jsonl"
NPM = "We use pnpm in this repository, never npm install."


def of(table: Rows, column: str, example: object) -> Any:
    """A field that is a column of a table."""
    return Field(description=table.columns[column].about, examples=[example])


def tells(about: str, example: object) -> Any:
    """A field that is none."""
    return Field(description=about, examples=[example])


class Model(BaseModel):
    """Made of dicts, or of objects with such attributes; what it does not name is left out."""

    model_config = ConfigDict(from_attributes=True)

    BRIEF: ClassVar[tuple[str, ...]] = ()
    """Fields that agents are told, who pay for each, besides those that a subclass adds."""
    CUT: ClassVar[tuple[str, ...]] = ()
    """Lists that lose their last rows where an answer must be short, the first of these first."""

    @classmethod
    def brief(cls) -> list[str]:
        """The fields that agents are told: all of a class that names none."""
        chose = next(each for each in cls.__mro__ if "BRIEF" in vars(each))
        rest: dict[str, Any] = getattr(chose, "model_fields", {})
        return [name for name in cls.model_fields if name in cls.BRIEF or name not in rest]
