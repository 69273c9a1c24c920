"""Regular expressions that are compiled when they are first used.

All that Cairn knows of language takes 0.4 seconds to compile, which a command that asks one thing
of it, or nothing, need not wait for.
"""

import re
from typing import Any, cast


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, at the first use: what is wrong with the source is only told then."""
    return cast("re.Pattern[str]", _Lazy(source, flags))


_OFTEN = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Stands for a pattern; once it is asked more than its source, it answers as that does."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        # Found in the instance from now on, as fast as in the pattern.
        self.__dict__.update({each: getattr(compiled, each) for each in _OFTEN})
        return getattr(compiled, name)
