"""What kind of knowledge a fact is: structural, a name, a sentence; and of which type."""

import polars as pl

from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import (
    ATTITUDES,
    DIRECTIVE_PREDICATES,
    EVENT_PREDICATES,
    LASTING_PREDICATES,
    NAME_PREDICATES,
    PIECE_PREDICATES,
    STATED_PREDICATES,
)

INFO_TYPES = {"instruction": "instructions", "preference": "user_profile", "procedure": "skills"}
"""Section of a prompt that a type of knowledge goes to; any other to `context`."""

_PREFERENCE = (
    r"(?i)\b(?:prefer|like|love|enjoy|adore|hate|dislike|detest|favou?rite)(?:s|d|red|ed)?\b"
)
_INSTRUCTION = (
    r"(?i)^\W*(?:please\s+)?(?:always|never|do not|don['’]t|remember|from now on|going forward|"
    r"make sure|be sure|ensure|avoid|you (?:should|must))\b|\b(?:from now on|going forward)\b"
)
_ABOUT_SELF = r"(?i)\b(?:i|i['’]m|i['’]ve|my|mine)\b"


def is_event() -> pl.Expr:
    """Whether a fact only says what happened: it is neither searched freely, merged nor counted.

    Wants event and predicate; of tables that an older version made, the predicate tells.
    """
    return pl.col("event").fill_null(pl.col("predicate").is_in(EVENT_PREDICATES))


def knowledge_type() -> pl.Expr:
    """fact, instruction, preference or procedure, from predicate and wording; a piece's own."""
    stated = ~pl.col("predicate").is_in(NAME_PREDICATES | STATED_PREDICATES)
    return (
        pl.when(pl.col("predicate").is_in(PIECE_PREDICATES))
        .then("predicate")
        .when(predicate="provides_solution")
        .then(pl.lit("procedure"))
        .when(pl.col("predicate").is_in(list(ATTITUDES.values())))
        .then(pl.lit("preference"))
        .when(pl.col("predicate").is_in(DIRECTIVE_PREDICATES))
        .then(pl.lit("instruction"))
        .when(stated & pl.col("content").str.contains(_INSTRUCTION))
        .then(pl.lit("instruction"))
        .when(stated & pl.col("content").str.contains(_PREFERENCE))
        .then(pl.lit("preference"))
        .otherwise(pl.lit("fact"))
    )


def info_type() -> pl.Expr:
    """user_profile, instructions, context or skills; wants the column `knowledge_type`."""
    stated = ~pl.col("predicate").is_in(NAME_PREDICATES | STATED_PREDICATES | PIECE_PREDICATES)
    return (
        pl.col("knowledge_type")
        .replace_strict(INFO_TYPES, default=None, return_dtype=pl.String)
        .fill_null(
            pl.when(stated & pl.col("content").str.contains(_ABOUT_SELF))
            .then(pl.lit("user_profile"))
            .otherwise(pl.lit("context"))
        )
    )


LOADED = "structuring/loaded@"
"""How the extractor of what somebody loaded as knowledge begins."""

FROM_ELSEWHERE = "structuring/imported@"
"""How the extractor of what another program or a file of notes kept begins: it fades slowly."""


def decay_rate(policy: Policy) -> pl.Expr:
    """How fast confidence in a fact fades, a day; wants predicate, content and extractor.

    What somebody loaded as knowledge holds until it is taken back, but for what it says happened.
    Who somebody is, what they like, want done or decided fades slowly, in whatever words; so does
    what another program kept, since it was kept to last, and may be of last year.
    """
    loaded = pl.col("extractor").str.starts_with(LOADED) & (pl.col("predicate") != "episodic")
    kept = pl.col("extractor").str.starts_with(FROM_ELSEWHERE)
    stated = ~pl.col("predicate").is_in(NAME_PREDICATES | STATED_PREDICATES)
    lasts = pl.any_horizontal(
        pl.col("content").str.contains(each) for each in (_INSTRUCTION, _PREFERENCE, _ABOUT_SELF)
    )
    return (
        pl.when(loaded)
        .then(0.0)
        .when(kept | pl.col("predicate").is_in(LASTING_PREDICATES) | (stated & lasts))
        .then(policy.lasting_decay_per_day)
        .otherwise(policy.decay_per_day)
    )


def comparable() -> pl.Expr:
    """What must be equal beside the entity for two facts to merge; null for names and events.

    The predicate; for free statements, their knowledge type.
    """
    return _sentence_kind(pl.concat_str(pl.lit("free "), knowledge_type()))


def contradictable() -> pl.Expr:
    """What must be equal beside the entity for two facts to deny each other; null as above.

    The predicate; free statements are of one kind here, since a denial often looks like another:
    "use npm" is a statement, "never use npm" an instruction.
    """
    return _sentence_kind(pl.lit("free"))


def _sentence_kind(free: pl.Expr) -> pl.Expr:
    return (
        pl.when(pl.col("predicate").is_in(NAME_PREDICATES) | is_event())
        .then(None)
        .when(pl.col("predicate").is_in(STATED_PREDICATES))
        .then("predicate")
        .otherwise(free)
    )
