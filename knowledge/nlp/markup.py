"""What in a text is no prose: code in fences, and what stands in tags."""

import re

_FENCE = re.compile(
    r"^[ \t]*+(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
_TAG = re.compile(r"<([a-z][\w-]*)>")
_NOT_A_LINE_END = re.compile(r"[^\n]")


def blanked(text: str) -> str:
    """Spaces in the place of a text, its lines kept: so the places of the rest stay."""
    return _NOT_A_LINE_END.sub(" ", text)


def without_markup(text: str) -> str:
    """A text of the same length, blank where code in fences stands, or `<tag>` … `</tag>`."""
    return _without_tagged(_FENCE.sub(lambda fence: blanked(fence[0]), text))


FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n(?P<told>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
"""What heads a Markdown file between two rules: a rule further down parts its text."""

_WRAP = re.compile(r"\n(?=[ \t]*+(?!\n|[-*+>]\s|[#|]|```|~~~|\d{1,3}[.)]\s)\S)")
_WHOLE_LINE = re.compile(r"\s*(?:[#|]|```|~~~|$)|.*:[*_]*\s*$")


def unwrapped(text: str) -> str:
    """A Markdown text of the same length, each paragraph and item of a list on one line."""
    return _WRAP.sub(
        lambda end: (
            "\n"
            if _WHOLE_LINE.match(text, text.rfind("\n", 0, end.start()) + 1, end.start())
            else " "
        ),
        text,
    )


_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_STAGED = re.compile(r"(?<=[.!?…\w])\s*\[(?=[a-z])[^\[\]]{3,}\]\s*$")


def in_plain_letters(written: str) -> str:
    """A sentence on one line without emphasis, also half of one, and without what it shows.

    "Look at that! [shares a photo of a boat]" is what a person says, and what they do.
    """
    text = _EMPHASIS.sub(r"\2", " ".join(written.split())).replace("**", "")
    return _STAGED.sub("", text).strip()


def _without_tagged(text: str) -> str:
    if "</" not in text:
        return text
    parts: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for tag in _TAG.finditer(text):
        if tag.start() < at or tag[1] in unclosed:
            continue
        end = text.find(f"</{tag[1]}>", tag.end())
        if end < 0:
            unclosed.add(tag[1])
            continue
        end += len(tag[0]) + 1
        parts += [text[at : tag.start()], blanked(text[tag.start() : end])]
        at = end
    return "".join([*parts, text[at:]])
