"""Turns of phrase in one order: leading clauses, lists, the passive, `the lead of the team`.

Each takes the tokens of a statement and gives them in another order.
"""

from cairn.knowledge.nlp.statements.clauses import BOUNDS, denies
from cairn.knowledge.nlp.vocabulary import (
    BE,
    CLAUSE,
    DETERMINERS,
    DIRECTIONS,
    FRONTED,
    JOINTS,
    NEGATIONS,
    PARTICIPLES,
    PARTICLES,
    POLAR,
    QUANTITIES,
    RELATIONS,
    STOPS,
    UNAGENTS,
    VERBS,
    stem,
)

ANY_OF = "or."
"""What stands behind a list of which one may be meant: no clause begins there."""

_MARKS = frozenset(".;!?:,")


def canonical(tokens: list[str]) -> list[str]:
    """Leading clauses put behind, lists and what somebody does at a time sorted."""
    return _sorted_acts(_sorted_lists(_unfronted(tokens)))


def active(tokens: list[str]) -> list[str]:
    """The same without passive and without `of`, where these can be told; else as it was."""
    return _genitive(_agent_first(tokens))


def _unfronted(tokens: list[str]) -> list[str]:
    """Puts a leading clause behind: "tests fail after deploy" for "after deploy, tests fail"."""
    if tokens and tokens[0] in FRONTED and "," in tokens[:-1]:
        comma = tokens.index(",")
        rest = tokens[comma + 1 :]
        while rest and rest[-1] in ".!?;":
            rest = rest[:-1]
        return [*rest, *tokens[:comma]]
    return tokens


def _sorted_lists(tokens: list[str]) -> list[str]:
    """The members of "a, b and c" in one order, where each is a single word."""
    if "respectively" in tokens:
        return tokens
    result: list[str] = []
    at = 0
    while at < len(tokens):
        end = at
        while end + 2 < len(tokens) and tokens[end + 1] in JOINTS and _content(tokens[end + 2]):
            end += 2
        separators = tokens[at + 1 : end : 2]
        if _is_list(tokens, at, end) and {"and", "or", "nor", "&"} & set(separators):
            result += sorted(tokens[at : end + 1 : 2])
            if not {"or", "nor"}.isdisjoint(separators):
                result.append(ANY_OF)
            at = end + 1
        else:
            result.append(tokens[at])
            at += 1
    return result


def _sorted_acts(tokens: list[str]) -> list[str]:
    """Two things that somebody does in one order: "a man plays the guitar and sings".

    What was done may have been done in that order, and what is denied is so of one of them.
    """
    end = len(tokens) - (tokens[-1:] == ["."])
    if tokens.count("and") != 1 or not _MARKS.isdisjoint(tokens[:end]):
        return tokens
    at = tokens.index("and")
    first = next((place for place in range(1, at) if _act(tokens, place)), None)
    if first is None or at + 1 >= end or not _act(tokens, at + 1) or denies(tokens):
        return tokens
    one, two = tokens[first:at], tokens[at + 1 : end]
    if _polar(one[0]) or _polar(two[0]):
        return tokens
    if one[0].endswith("ing") != two[0].endswith("ing") or stem(one[0]) <= stem(two[0]):
        return tokens
    return [*tokens[:first], *two, "and", *one, *tokens[end:]]


def _act(tokens: list[str], at: int) -> bool:
    """Whether a word is a verb in a form of what goes on."""
    return (
        tokens[at].endswith(("ing", "s"))
        and stem(tokens[at]) in VERBS
        and tokens[at - 1] not in DETERMINERS
    )


def _is_list(tokens: list[str], at: int, end: int) -> bool:
    """Whether members of a list stand from `at` to `end`, and no clause begins between them.

    "Redis and Kafka are used", but not "he can swim and diving is hard".
    """
    if end == at or not _content(tokens[at]):
        return False
    before = at
    while before and tokens[before - 1] in DETERMINERS - NEGATIONS:
        before -= 1
    leads = not before or tokens[before - 1] in BOUNDS
    following = tokens[end + 1 : end + 2]
    return leads or not following or following[0] in BOUNDS | RELATIONS | DIRECTIONS


def _content(token: str) -> bool:
    return (
        token[0].isalnum()
        and token not in STOPS
        and token not in CLAUSE
        and token not in NEGATIONS
        and token not in PARTICLES
        and not _polar(token)
    )


def _polar(token: str) -> bool:
    """Whether a word is an end of an axis."""
    return stem(token) in POLAR


def _agent_first(tokens: list[str]) -> list[str]:
    """`the job cleared the cache` for "the cache was cleared by the job".

    The verb keeps its `was`, so that tense is read as before.
    """
    for at, piece in enumerate(tokens):
        if piece not in BE or not at:
            continue
        verb = at + 1
        while verb < len(tokens) and (tokens[verb] in NEGATIONS or tokens[verb].endswith("ly")):
            verb += 1
        if verb >= len(tokens) or not _participle(tokens[verb]) or "by" not in tokens[verb + 1 :]:
            continue
        by = tokens.index("by", verb + 1)
        end = next(
            (
                place
                for place in range(by + 1, len(tokens))
                if tokens[place] in _MARKS
                or tokens[place] in CLAUSE
                or tokens[place] in DIRECTIONS
                or (tokens[place] in RELATIONS and tokens[place] != "of")
            ),
            len(tokens),
        )
        agent = tokens[by + 1 : end]
        if not _agent(agent, tokens[verb]) or any(t in _MARKS for t in tokens[:by]):
            continue
        return [
            *agent, *tokens[at : verb + 1], *tokens[:at], *tokens[verb + 1 : by], *tokens[end:]
        ]  # fmt: skip
    return tokens


def _participle(token: str) -> bool:
    return (len(token) > 4 and token.endswith("ed")) or token in PARTICIPLES


def _agent(words: list[str], verb: str) -> bool:
    """Whether `by` tells who did it, not how, when or by how much."""
    return (
        bool(words)
        and stem(verb) not in UNAGENTS
        and "=" not in words[0]
        and not words[0].endswith("ing")
        and (words[0] in DETERMINERS or stem(words[0]) not in UNAGENTS)
    )


def _genitive(tokens: list[str]) -> list[str]:
    """`the team lead` for "the lead of the team"."""
    for at in range(1, len(tokens) - 1):
        if tokens[at] != "of" or not _nominal(tokens[at - 1]):
            continue
        start = at - 1
        back = at - 1
        while back and _nominal(tokens[back]):
            back -= 1
        if tokens[back] in DETERMINERS:
            start = back + 1
        after = at + 1 + (tokens[at + 1] in DETERMINERS)
        end = after
        while end < len(tokens) and (_nominal(tokens[end]) or tokens[end] == "s"):
            end += 1
        if end == after:
            continue
        return [
            *tokens[:start], *tokens[after:end], *tokens[start:at], *_genitive(tokens[end:])
        ]  # fmt: skip
    return tokens


def _nominal(token: str) -> bool:
    """Whether a token can be part of a name of a thing."""
    return (
        token[0].isalnum()
        and token not in STOPS
        and token not in CLAUSE
        and token not in DIRECTIONS
        and token not in NEGATIONS
        and token not in QUANTITIES
        and not token.startswith("number=")
    )
