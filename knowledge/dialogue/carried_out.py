"""What a person ordered and the agent did at once: an order of that moment, and no rule."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cairn.knowledge.dialogue.borne_out import weighty
from cairn.knowledge.dialogue.tool_calls import OLD_TEXT, PATH_INPUTS
from cairn.knowledge.nlp.text import words

FEWEST_DONE, SHARE_DONE = 3, 0.6
"""Words of an order that stand in what was written for it, and their share of all.

`Use pnpm instead of npm` has fewer: it names a habit, not a work.
"""

_PROSE = re.compile(r"(?i)\.(?:mdc?|mdx|rst|txt)$")
"""Where a rule is written down, which makes it no work that was done."""
_NAME_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_/@.`-]+")
_ORDERING = weighty(
    "use make add change instead rather should want need please let us also now all each every"
)


def carried_out(order: str, edits: Iterable[Mapping[str, Any]]) -> bool:
    """Whether edits write what an order is about.

    Args:
        order: What a person wants.
        edits: The inputs of calls that edit files, from then on until the person speaks again.
    """
    about = _about(order) - _ORDERING
    written = frozenset[str]().union(*(_about(text) for one in edits for text in _written(one)))
    done = len(about & written)
    return done >= max(FEWEST_DONE, SHARE_DONE * len(about))


def _written(inputs: Mapping[str, Any]) -> Iterator[str]:
    """The texts that an edit brings into files of code."""
    if any(
        isinstance(path := inputs.get(name), str) and _PROSE.search(path) for name in PATH_INPUTS
    ):
        return
    for name, value in inputs.items():
        if name in OLD_TEXT:
            continue
        if isinstance(value, str):
            yield value
        for one in value if isinstance(value, list) else ():
            if isinstance(one, dict):
                yield from _written(one)


def _about(text: str) -> frozenset[str]:
    """Stems of what a text is about; those of a name in code count by themselves."""
    return weighty(" ".join(words(_NAME_PARTS.sub(" ", text))))
