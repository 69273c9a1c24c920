"""What a person says of how they work: a habit that is theirs, and so one to keep to."""

from typing import NamedTuple

import polars as pl

_WHO = (
    r"(?:we|i|everybody|everyone|the team|this (?:repo|repository|project|codebase|team)|all of us)"
)
_DOES = (
    r"(?:use|run|keep|write|name|put|pin|follow|store|build|test|deploy|release|commit|format|lint"
    r"|log|document|sort|install|branch|squash|rebase|merge|publish|tag|prefix|type|call)s?"
)
_NOT_THAT = r"(?:,|\band|\bbut)\s+(?:never|not)\s|\b(?:instead of|rather than)\s"
_WIDELY = (
    r"\b(?:here|everywhere|throughout|in (?:this|our) (?:repo|repository|project|codebase|team)"
    r"|for (?:all|every|each|any)|in (?:all|every|each|any))\b"
)
_OVER = (
    r"(?i)\b(?:any ?more|no longer|used to|not yet|right now|for now|at the moment|currently)\b|\?"
)
_HABIT = (
    rf"(?i)^\W*(?:(?:and|but|so|also|note|please|btw|by the way)\b[\s,:]*)?"
    rf"(?:{_WHO}\s+(?:(?:all|both|usually|normally|generally)\s+)?"
    rf"(?:(?:always|only|never)\s+{_DOES}\b|{_DOES}\b.*(?:{_NOT_THAT}|{_WIDELY}))"
    rf"|(?:i|we)(?:'d| would)?\s+(?:\w+ly\s+)?prefer\b)"
)


class HabitExample(NamedTuple):
    """A sentence, and whether it says how somebody works."""

    text: str
    habit: bool


EXAMPLES = (
    HabitExample("We use just here, never make.", True),
    HabitExample("We write the docs in British English, not American.", True),
    HabitExample("we only commit signed tags", True),
    HabitExample("This project uses tabs in all Makefiles.", True),
    HabitExample("I prefer small functions over long ones.", True),
    HabitExample("Also, we pin versions in every workflow", True),
    HabitExample("The quay has 40 berths.", False),
    HabitExample("We use Redis to hold the sessions.", False),
    HabitExample("We do not use make here any more.", False),
    HabitExample("We used to run it here, not in CI.", False),
    HabitExample("I like the new layout.", False),
    HabitExample("Do we use just here, or make?", False),
    HabitExample("We call the old API to not depend on the queue.", False),
)


def is_habit(text: str = "content") -> pl.Expr:
    """Whether a sentence says how somebody works, and not what there is."""
    said = pl.col(text)
    return said.str.contains(_HABIT) & ~said.str.contains(_OVER)
