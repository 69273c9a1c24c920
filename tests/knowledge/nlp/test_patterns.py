import re

import pytest

from cairn.knowledge.nlp.patterns import lazy_pattern


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    wrong = lazy_pattern("(")
    assert wrong.pattern == "("
    with pytest.raises(re.error):
        wrong.search("a")


def test_a_lazy_pattern_finds_what_a_compiled_one_does() -> None:
    lazy = lazy_pattern(r"(?P<word>ab) c", re.IGNORECASE | re.VERBOSE)
    for _ in range(2):
        assert lazy.sub("x", "ABCabd") == "xabd"
        assert [found["word"] for found in lazy.finditer("abc ABC")] == ["ab", "AB"]
    assert lazy.groupindex == {"word": 1}
    assert lazy.flags & re.IGNORECASE
