"""Where a clause begins, so that what one of them denies the next one does not.

A clause stands beside another ("I like tea and I hate coffee") or within it ("I know that she
lies", "we decided not to go"). What it denies depends on that: "we did not decide to go" is not
"we decided not to go". Members of a list are no clauses, and what a negation spans ("don't drink
and drive") is one.
"""

from cairn.knowledge.nlp.vocabulary import (
    ADJECTIVES,
    ADJECTIVES_IN_LY,
    ASKING,
    AUXILIARIES,
    BE,
    CLAUSE,
    DETERMINERS,
    FRONTED,
    JOINTS,
    NEGATIONS,
    OBLIGING,
    PASTS,
    POLAR,
    RELATIONS,
    STOPS,
    VERBS,
    stem,
)

ENDS = frozenset(".;!?:")
BOUNDS = CLAUSE | ENDS | JOINTS
"""Where a clause may begin."""

_BEFORE_VERBS = frozenset(
    {"i", "we", "you", "he", "she", "they", "user", "always", "never", "often", "usually"}
)
"""Words that a verb follows."""

_ALWAYS_SUBJECTS = frozenset({"i", "we", "he", "she", "they"})
_OFTEN_SUBJECTS = frozenset({"you", "it", "this", "there", "these", "those"})
_NO_THING = (
    (BOUNDS | RELATIONS | FRONTED | BE | ASKING | {"by", "from", "than", "again", "now", "then"})
    | {"today", "tomorrow", "tonight", "too", "also", "still", "already", "currently", "everywhere"}
) - {"&"}
"""What follows a preposition that has no thing of its own."""
_LIGHT = frozenset({"then", "also", "so", "just", "still", "now", "even", "already", "yet", "only"})


def begins_beside(tokens: list[str], at: int, told: bool, denied: bool) -> bool:
    """Whether a clause begins here that stands beside the one before.

    Args:
        tokens: The statement.
        at: Place among them.
        told: Whether the clause before says anything of anything: "my brother, Tom, snores" is one.
        denied: Whether that is denied.
    """
    if tokens[at] in CLAUSE or tokens[at] in ENDS:
        return True
    if tokens[at] not in JOINTS or not told:
        return False
    end = _end(tokens, at + 1)
    if denies(tokens[at + 1 : end]):
        return True
    verb = next((place for place in range(at + 1, end) if says(tokens, place)), None)
    if verb is None:
        return False
    light = (word in _LIGHT or word.endswith("ly") for word in tokens[at + 1 : verb])
    return not all(light) or _finite(tokens[verb]) or not denied


def begins_within(tokens: list[str], at: int, told: bool, acted: bool, first: str | None) -> bool:
    """Whether a clause begins here that stands within the one before.

    Args:
        tokens: The statement.
        at: Place among them.
        told: Whether the clause before says anything of anything.
        acted: Whether it has a verb that is no auxiliary.
        first: Its first content word.
    """
    piece, following = tokens[at], tokens[at + 1 : at + 2]
    auxiliary = piece in AUXILIARIES or piece in ASKING
    if auxiliary and first and len(first) > 5 and first.endswith("ing"):
        return True  # "testing is …"
    if at and tokens[at - 1] in OBLIGING:
        return True
    if not told or not following:
        return False
    if piece == "without":
        return True
    if piece == "to":
        return following[0] in NEGATIONS or following[0] in BE or stem(following[0]) in VERBS
    if piece in NEGATIONS and following == ["to"]:
        return True
    if piece == "that":
        return not relative(tokens, at) and any(
            predicates(tokens, place) for place in range(at + 2, _end(tokens, at + 1))
        )
    if not acted:
        return False
    if piece in {"not", "never"}:
        return tokens[at - 1] in ASKING or tokens[at - 1] in BE or stem(following[0]) in VERBS
    if tokens[at - 1] in FRONTED or tokens[at - 1] == "than":
        return False
    return piece in _ALWAYS_SUBJECTS or (
        piece in _OFTEN_SUBJECTS and (following[0] in ASKING or following[0] in BE)
    )


def predicates(tokens: list[str], at: int) -> bool:
    """Whether a word is the verb of its clause, or an auxiliary of it."""
    piece = tokens[at]
    if piece in AUXILIARIES or piece in ASKING:
        return True
    if piece == "s" and at:
        return tokens[at - 1] in _ALWAYS_SUBJECTS | _OFTEN_SUBJECTS | {"that", "here"}
    following = tokens[at + 1 : at + 2]
    subject = following != [] and (following[0] in BE or following[0] in ASKING)
    return not subject and verbal(tokens, at)


def relative(tokens: list[str], at: int) -> bool:
    """Whether `that` and the like begin what tells one thing from another, behind its name."""
    after = tokens[at + 1 : at + 2]
    return (
        at > 0
        and _thing(tokens[at - 1 : at])
        and after != []
        and (after[0] in AUXILIARIES or after[0] in ASKING or stem(after[0]) in VERBS)
    )


def attributive(tokens: list[str], at: int) -> bool:
    """Whether an adjective tells one thing from another: the `private` of "the private endpoint".

    So does a participle ("failing tests"). "is a bad idea" says that it is bad.
    """
    if not _thing(tokens[at + 1 : at + 2]):
        return False
    if stem(tokens[at]) not in ADJECTIVES:
        leads = at == 0 or tokens[at - 1] in DETERMINERS or tokens[at - 1] in RELATIONS
        return leads and tokens[at].endswith(("ing", "ed"))
    before = next((word for word in reversed(tokens[:at]) if word not in DETERMINERS), "")
    return before not in BE


def verbal(tokens: list[str], at: int) -> bool:
    """Whether a word is a verb, as far as its form and a list of common ones tell."""
    piece = tokens[at]
    if piece in AUXILIARIES or piece in PASTS:
        return True
    if "=" in piece:
        return False
    before = tokens[at - 1] if at else ""
    if before in _BEFORE_VERBS and piece not in NEGATIONS and piece not in STOPS:
        return True
    if before in DETERMINERS or before in RELATIONS:
        return False
    return stem(piece) in VERBS or (len(piece) > 4 and piece.endswith("ed"))


def particle(tokens: list[str], at: int) -> bool:
    """Whether a preposition has no thing of its own: `on` in "caching on and logging off".

    So it says something of what stands before it, and must stay there.
    """
    if tokens[at] not in RELATIONS or tokens[at] == "of":
        return False
    following = tokens[at + 1 : at + 2]
    if not following or not following[0][0].isalnum():
        return not following or following[0] not in {"*", "%"}
    word = following[0]
    return word in _NO_THING or (word.endswith("ly") and word not in ADJECTIVES_IN_LY)


def denies(tokens: list[str]) -> bool:
    """Whether there is a negation among them."""
    return any(token in NEGATIONS for token in tokens)


def _end(tokens: list[str], start: int) -> int:
    """Where the next clause or member of a list may begin."""
    return next((at for at in range(start, len(tokens)) if tokens[at] in BOUNDS), len(tokens))


def says(tokens: list[str], at: int) -> bool:
    """Whether a word says something of another: as a verb, or at an end of an axis."""
    return predicates(tokens, at) or (stem(tokens[at]) in POLAR and not attributive(tokens, at))


def _finite(verb: str) -> bool:
    """Whether a verb has a form that no other verb governs."""
    return verb in AUXILIARIES or verb in ASKING or verb in PASTS or verb.endswith(("s", "ed"))


def _thing(following: list[str]) -> bool:
    return (
        following != []
        and following[0][0].isalpha()
        and following[0] not in STOPS
        and following[0] not in CLAUSE
        and following[0] not in RELATIONS
        and following[0] not in FRONTED
        and following[0] not in NEGATIONS
        and following[0] not in {"and", "or", "than", "by", "from"}
    )
