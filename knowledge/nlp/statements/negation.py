"""Does a text deny a statement? What lies close to it in meaning may say the opposite."""

from functools import lru_cache

from cairn.knowledge.nlp.statements.compare import Verdict, compare
from cairn.knowledge.nlp.statements.statement import read_statement
from cairn.knowledge.nlp.text import sentences


def contradicts(text: str, statement: str) -> bool:
    """Whether a sentence of a text denies a statement or gives another value, and none says it.

    Sentences with other words are not looked at, so a text of many costs one look at each, once.
    """
    own = _words(statement)
    verdicts = {compare(statement, one).verdict for one, words in _read(text) if words == own}
    return Verdict.SAME not in verdicts and bool(verdicts & {Verdict.OPPOSITE, Verdict.VALUE})


@lru_cache(maxsize=16_384)
def _read(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    spoken = (text[start:end] for start, end in sentences(text))
    return tuple((one, _words(one)) for one in spoken)


def _words(statement: str) -> tuple[str, ...]:
    """Words of a statement, sorted; of a literal its kind."""
    return tuple(sorted(word.partition("=")[0] for word in read_statement(statement).bag))
