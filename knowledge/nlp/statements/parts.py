"""Parts of a sentence that are asserted by themselves.

"Given the delay, the launch is not on Monday, as planned" says that the launch is not on Monday;
"we use tabs, not spaces" says that we do not use spaces. What a sentence supposes, asks, quotes or
tells of a place or a time alone asserts nothing by itself.
"""

import re
from functools import lru_cache

_BETWEEN = re.compile(r"(?:[,;:](?:\s+(?:and|but|so|yet))?|\.|\s[-–—])\s+")
_INSERTED = re.compile(r"\s*\([^()]*\)|,\s+(?:which|who|whose)\s[^,;:.]*,")
_UNSURE = re.compile(
    r"\b(?:if|when|whenever|unless|until|once|whether|either|would|could|might|may|maybe|perhaps|only"
    r"|except|said|says?|tells?|told|thinks?|thought|believes?|claim\w*|argue\w*|asks?|asked|wish"
    r"|hopes?|pretend\w*|suppos\w+|otherwise|else)\b|[?\"“”]",
    re.IGNORECASE,
)
"""What may make a part something else than an assertion."""

_ASIDE = re.compile(
    r"(?:or|which|who|whom|whose|that|where|such as|like|on|at|during|within|before|after|since"
    r"|in(?! (?:honou?r|spite|view|light|addition|other words|short|fact)\b)|while|under|by|with"
    r"|for(?! (?:this|that|these) reasons?\b)|without|from|of|to|as long as|even)\b",
    re.IGNORECASE,
)
"""What begins a part that tells of another what, where or when it is."""

_LINK = re.compile(
    r"(?:and|but|so|yet|because|though|although|however|therefore|thus)\s+", re.IGNORECASE
)

_CONTRAST = re.compile(
    r"^(?P<said>[^,;:()]+),? (?:and )?not (?P<other>(?:[\w'’-]+ ){0,3}[\w'’-]+)[.!]?$",
    re.IGNORECASE,
)
_SHORTEST = 2
"""Words of a part that says anything."""


@lru_cache(maxsize=65_536)
def asserted_parts(text: str) -> tuple[str, ...]:
    """Parts of a text of several that assert something by themselves; () where nothing is sure.

    What begins with where or when it holds is not looked at: "in Berlin, we do not ship food".
    """
    bare = _INSERTED.sub("", text)
    if _UNSURE.search(bare):
        return ()
    parts = [part.strip() for part in _BETWEEN.split(bare) if part.strip(" .!")]
    if (len(parts) < 2 and bare == text) or (parts and _ASIDE.match(parts[0])):
        return ()
    sure = (_LINK.sub("", part, count=1) for part in parts if not _ASIDE.match(part))
    return tuple(part for part in sure if part.count(" ") + 1 >= _SHORTEST)


@lru_cache(maxsize=65_536)
def contrast(text: str) -> tuple[str, str] | None:
    """What a text says, and what it says that this is not: "we use tabs", "spaces"."""
    found = _CONTRAST.match(text.strip())
    return (found["said"], found["other"]) if found else None
