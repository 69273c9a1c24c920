"""What a conversation was about: what a person typed first, and what was made in the end."""

import json
import re
from collections.abc import Iterable, Sequence

from cairn.knowledge.dialogue.typed import typed

LONGEST_TITLE = 120
_FEWEST, _MESSAGES = 10, 3
"""Characters of a line that tells something, and messages in which it is looked for."""

MAKES_HISTORY = (
    r"\bgit\b[^\n]{0,200}\bcommit\b|\b(?:gh|glab)\b[^\n]{0,80}\b(?:pr|mr)\b[^\n]{0,40}\bcreate\b"
)
"""Inputs of calls in which a commit or a pull request may be made."""

_MESSAGE = (
    r"""(?:"\$\(cat\ <<-?\s*\\?['"]?(?P<{0}mark>\w+)['"]?\s*\n(?P<{0}doc>[^\n]{{1,200}})"""
    r"""|"(?P<{0}double>[^"\n$`]{{1,200}})|'(?P<{0}single>[^'\n]{{1,200}}))"""
)
_COMMIT = re.compile(
    r"\bgit\b[^\n;&|]{0,120}?\bcommit\b[^\n;&|]{0,80}?\s(?:-\w*m|--message)[=\s]?\s*"
    + _MESSAGE.format("c"),
    re.VERBOSE,
)
_REQUEST = re.compile(
    r"\b(?:gh|glab)\ (?:pr|mr)\ create\b[^\n;&|]{0,120}?\s(?:-t|--title)[=\s]\s*"
    + _MESSAGE.format("r"),
    re.VERBOSE,
)
_SAYS_LITTLE = re.compile(
    r"(?i)^\W*(?:(?:wip|init|initial commit|first commit|update|fix|test|tmp|temp)\b.{0,12}$"
    r"|merge\b|revert\b)"
)
_FEWEST_WORDS = 3


def title(messages: Sequence[str]) -> str | None:
    """The first line that a person typed, of the first messages; else the first line at all."""
    for text in messages[:_MESSAGES]:
        for line in typed(text).splitlines():
            if len(told := " ".join(line.split())) >= _FEWEST and re.search(r"\w", told):
                return told[:LONGEST_TITLE].rstrip()
    first = messages[0].strip().split("\n", 1)[0].strip() if messages else ""
    return first[:LONGEST_TITLE].rstrip() or None


def subject(inputs: Iterable[str]) -> str | None:
    """The title of the last pull request that calls make, else the subject of the last commit.

    Args:
        inputs: What tools were given, as JSON, in order; those that failed are left out.
    """
    last: dict[bool, str] = {}
    for given in inputs:
        for script in _scripts(given):
            for pattern, asks in ((_COMMIT, False), (_REQUEST, True)):
                for found in pattern.finditer(script):
                    parts = found.groupdict()
                    told = next((v for k, v in parts.items() if v and not k.endswith("mark")), "")
                    told = " ".join(told.split())
                    if told.count(" ") >= _FEWEST_WORDS - 1 and not _SAYS_LITTLE.match(told):
                        last[asks] = told
    told = last.get(True) or last.get(False)
    return told[:LONGEST_TITLE].rstrip() if told else None


def _scripts(given: str) -> list[str]:
    """Texts within the input of a call."""
    try:
        decoded = json.loads(given)
    except (ValueError, RecursionError):
        return []
    values = decoded.values() if isinstance(decoded, dict) else [decoded]
    return [value for value in values if isinstance(value, str)]
