"""Do two statements about one thing say the same, stand side by side, or exclude each other?"""

from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator

from cairn.knowledge.llm.prompt import Example, Prompt, fitting

Verdict = Literal["MERGE", "KEEP_BOTH", "CONTRADICTION"]


class PairVerdict(BaseModel):
    """What is decided about one pair, and why."""

    pair: int = Field(description="Number of the pair.")
    verdict: Verdict = Field(description="What holds of its two statements.")
    reason: str = Field(description="Why, in at most 15 words.")


class PairVerdicts(BaseModel):
    """One verdict for each pair."""

    verdicts: list[PairVerdict] = []

    @field_validator("verdicts", mode="before")
    @classmethod
    def _readable(cls, found: Any) -> Any:
        """Leaves out what is no verdict: one pair is lost by it, and no other."""
        return fitting(found, PairVerdict)


VERDICTS = (
    "Give each pair one verdict.\n"
    "- MERGE: both say the same of the same thing; whoever reads one learns nothing from the "
    "other. A different number, version, date, path, host, place or name is never the same, nor is "
    "one that denies what the other says.\n"
    "- CONTRADICTION: both are about the same thing at the same time, and cannot both be true.\n"
    "- KEEP_BOTH: all else. Each says something of its own, or of another time, part or case.\n"
    "- In doubt KEEP_BOTH. Judge by the words alone, not by what you know of the subject.\n"
    "- Pairs have nothing to do with each other. None is left out, none is named twice.\n"
    "- The reason is one short phrase about the words of the pair, without secrets."
)
"""Requirements that prompts about pairs share."""

CONTRADICTION_PAIRS = Prompt(
    name="contradiction_pairs",
    about="Do two alike statements exclude each other, stand side by side, or say the same?",
    context=(
        "Cairn gathers lasting knowledge from the logs of one person. Some of its statements are "
        "much alike and yet differ in words: one may deny the other, or give another value. Rules "
        "could not decide. The input is pairs of statements; each has its number, what it is "
        "about, and both statements with the day on which each was first said, the earlier first."
    ),
    requirements=VERDICTS,
    criteria=(
        "CONTRADICTION makes both less believed, so it must be certain that one of them is wrong. "
        "What was so once and is otherwise now is KEEP_BOTH if the words tell that times differ."
    ),
    output=PairVerdicts,
    max_tokens=3000,
    examples=(
        Example(
            "Pair 1\nAbout: zimtkessel (project)\n"
            "A, 2026-01-05, states: Zimtkessel builds run on the Drosselturm machine.\n"
            "B, 2026-02-11, states: Zimtkessel builds never run on the Drosselturm machine.\n\n"
            "Pair 2\nAbout: zimtkessel (project)\n"
            "A, 2026-01-05, states: Zimtkessel logs are kept for 7 days in the attic.\n"
            "B, 2026-01-20, states: Zimtkessel logs are kept for 30 days in the cellar.",
            PairVerdicts(
                verdicts=[
                    PairVerdict(
                        pair=1,
                        verdict="CONTRADICTION",
                        reason="B denies that builds run where A says they do",
                    ),
                    PairVerdict(
                        pair=2, verdict="KEEP_BOTH", reason="attic and cellar are two places"
                    ),
                ]
            ),
            canaries=("Zimtkessel", "Drosselturm"),
        ),
    ),
)
