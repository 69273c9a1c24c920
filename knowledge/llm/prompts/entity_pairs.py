"""Are two names of one thing?"""

from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator

from cairn.knowledge.llm.prompt import Example, Prompt, fitting

SAME, DIFFERENT, UNSURE = "same", "different", "unsure"


class EntityVerdict(BaseModel):
    """What is decided about one pair, how surely, and why."""

    pair: int = Field(description="Number of the pair.")
    verdict: Literal["SAME", "DIFFERENT", "UNSURE"] = Field(
        description="Whether both names are of one thing."
    )
    confidence: float = Field(ge=0.0, le=1.0, description="How sure that is, 0 to 1.")
    reason: str = Field(description="Why, in at most 15 words.")


class EntityVerdicts(BaseModel):
    """One verdict for each pair."""

    verdicts: list[EntityVerdict] = []

    @field_validator("verdicts", mode="before")
    @classmethod
    def _readable(cls, found: Any) -> Any:
        """Leaves out what is no verdict: one pair is lost by it, and no other."""
        return fitting(found, EntityVerdict)


ENTITY_PAIRS = Prompt(
    name="entity_pairs",
    about="Are two names of one thing?",
    context=(
        "Cairn gathers lasting knowledge from the logs of one person. One thing may stand in them "
        "under several names, and two things under names that are much alike. Rules could not "
        "decide. The input is pairs of names; each has its number, and for either name its type, "
        "other names that it is known by, and what was first said of it. Some tell what else is "
        "named beside both."
    ),
    requirements=(
        "Give each pair one verdict.\n"
        "- SAME: both names are of the same single thing, so that all that is said of the one is "
        "said of the other: another spelling, a short form, a translation, a former name, a name "
        "with and without its kind.\n"
        "- DIFFERENT: they are two things. A part of a thing, a kind of it, its successor, its "
        "maker, a tool for it, one of several is not the thing; nor is what has another number, "
        "version, size, colour or place.\n"
        "- UNSURE: what stands there does not tell.\n"
        "- Judge by what is said of them first, and by what such names mean anywhere.\n"
        "- Pairs have nothing to do with each other. None is left out, none is named twice.\n"
        "- The reason is one short phrase, without secrets."
    ),
    criteria=(
        "A wrong SAME mixes up what is known of two things, a missed one leaves a thing with two "
        "names; so in doubt it is UNSURE. A confidence above 0.8 means that you would bet on it."
    ),
    output=EntityVerdicts,
    max_tokens=3000,
    examples=(
        Example(
            "Pair 1\n"
            "A, topic: Hagelfink\n  2026-01-05: Hagelfink books the orders of the mill.\n"
            "B, topic: the booking service\n"
            "  2026-02-11: The booking service, which we call Hagelfink, is slow.\n\n"
            "Pair 2\n"
            "A, topic: Quittenbach pump\n  2026-01-05: The Quittenbach pump stands in the cellar.\n"
            "B, topic: Quittenbach pump filter\n"
            "  2026-01-20: The Quittenbach pump filter is changed in May.",
            EntityVerdicts(
                verdicts=[
                    EntityVerdict(
                        pair=1, verdict="SAME", confidence=0.95, reason="B is said to be called A"
                    ),
                    EntityVerdict(
                        pair=2, verdict="DIFFERENT", confidence=0.95, reason="B is a part of A"
                    ),
                ]
            ),
            canaries=("Hagelfink", "Quittenbach"),
        ),
    ),
)
