"""Predicates, each declared once: what it says, of what kind its object is, how it is kept.

Which are embedded, merged, found unasked or fill a slot of one value follows from these. One that
is declared nowhere is an attribute with a value.
"""

from dataclasses import dataclass

import polars as pl

SENTENCE, VALUE, COMMAND, WORD = "sentence", "value", "command", "word"
"""What an object can be, beside a name of a type of entity."""

EVENT, IDENTITY, PREFERENCE = "event", "identity", "preference"
DIRECTIVE, DECISION, KNOWLEDGE = "directive", "decision", "knowledge"
"""Kinds of predicates: what happened; what holds until it is replaced or taken back, four times;
and whatever else may hold next week."""

LASTING = frozenset({IDENTITY, PREFERENCE, DIRECTIVE, DECISION})
"""Kinds that fade slowly."""

OBSERVED_TYPES = frozenset({"project", "host", "path", "tool", "package", "system", "person"})
"""Types that rules set; every other entity is a topic."""


WITHDRAWS = "withdraws"
"""Predicate of a line that no longer stands: it ends the same line."""


@dataclass(frozen=True)
class Predicate:
    """One kind of fact."""

    name: str
    about: str
    """What it says of its subject, for people."""
    object: str
    """SENTENCE, VALUE, COMMAND or WORD; or the type of the entity that the object names."""
    kind: str = KNOWLEDGE
    """EVENT (what happened, asked for by name), one of LASTING, or KNOWLEDGE."""
    free: bool = False
    """Any sentence; else a sentence says one kind of thing."""
    piece: bool = False
    """A type of knowledge that somebody loaded."""
    attitude: str | None = None
    """The act by which a person says it: like, dislike."""
    holds_one: bool = False
    """Whether one value holds at a time, so that another ends it."""


def _piece(name: str, about: str) -> Predicate:
    return Predicate(name, about, SENTENCE, free=True, piece=True)


def _single(name: str, about: str, kind: str = KNOWLEDGE) -> Predicate:
    return Predicate(name, about, VALUE, kind, holds_one=True)


PREDICATES = (
    Predicate("used_tool", "a tool was used", "tool", EVENT),
    Predicate("executed_command", "a command was run", COMMAND, EVENT),
    Predicate("mentions_path", "a path was named", "path", EVENT),
    Predicate("connects_to_host", "a host is reached", "host"),
    Predicate("targets_system", "a system is worked on", "system", EVENT),
    Predicate("operation_type", "a kind of operation is carried out", WORD, EVENT),
    Predicate("states", "what somebody states", SENTENCE, free=True),
    Predicate("discovery", "what was found out", SENTENCE, EVENT),
    Predicate("provides_solution", "what solves something", SENTENCE, EVENT),
    Predicate("identifies_issue", "what is at fault", SENTENCE, EVENT),
    Predicate(
        "directs",
        "what a person wants done, or left, once and for all",
        SENTENCE,
        DIRECTIVE,
        free=True,
    ),
    Predicate("decides", "what a person decided", SENTENCE, DECISION, free=True),
    Predicate("asks", "what a person wants done, or left, in a session", SENTENCE, EVENT),
    Predicate(
        "refuses", "a call that a person did not allow, and why", SENTENCE, DIRECTIVE, free=True
    ),
    Predicate(WITHDRAWS, "a line that was taken out of what is written down", VALUE, EVENT),
    Predicate("refused_call", "a call that a person did not allow", COMMAND, EVENT),
    Predicate("likes", "what a person likes", SENTENCE, PREFERENCE, free=True, attitude="like"),
    Predicate(
        "dislikes", "what a person dislikes", SENTENCE, PREFERENCE, free=True, attitude="dislike"
    ),
    _piece("fact", "knowledge that was loaded"),
    _piece("instruction", "an instruction that was loaded"),
    _piece("preference", "a preference that was loaded"),
    _piece("procedure", "a procedure that was loaded"),
    _piece("note", "a note that was loaded"),
    _piece("episodic", "something that happened, loaded: it fades"),
    Predicate("is", "of what type something is, or what it is", VALUE),
    _single("lives_in", "where a person lives", IDENTITY),
    _single("works_at", "where a person works", IDENTITY),
    _single("works_for", "whom a person works for", IDENTITY),
    _single("is_called", "how something is called", IDENTITY),
    _single("has_name", "how something is called", IDENTITY),
    _single("based_in", "where something is based"),
    _single("located_in", "where something is"),
    _single("default_branch", "the branch that is taken by default"),
    _single("has_version", "the version in use"),
    _single("runs_on_port", "the port that it listens on"),
    _single("listens_on_port", "the port that it listens on"),
    _single("expires_on", "when it ends to be valid"),
    _single("is_set_to", "the value of a setting"),
    _single("has_status", "how it stands"),
    _single("has_timezone", "the timezone that somebody goes by", IDENTITY),
    _single("has_birthday", "when a person was born", IDENTITY),
    _single("has_age", "how old somebody is", IDENTITY),
    _single("married_to", "whom a person is married to", IDENTITY),
)

EVENT_PREDICATES = frozenset(each.name for each in PREDICATES if each.kind == EVENT)
"""What happened: can be queried, and is neither searched freely, merged nor counted."""

PROVABLE_PREDICATES = frozenset(
    each.name for each in PREDICATES if each.kind == EVENT and each.object == SENTENCE
)
"""Events that become knowledge once they prove themselves (knowledge/resolution/facts.py)."""

STRUCTURAL_PREDICATES = EVENT_PREDICATES - PROVABLE_PREDICATES
"""Events that are names, commands or lines taken out: they stay events, however often they come."""

LASTING_PREDICATES = frozenset(each.name for each in PREDICATES if each.kind in LASTING)
"""Their facts fade slowly."""

DIRECTIVE_PREDICATES = frozenset(each.name for each in PREDICATES if each.kind == DIRECTIVE)
"""What a person wants, done or left."""

WISH_PREDICATES = frozenset({"directs", "asks"})
"""What a person wants, for good or in a session: the same in whatever polite words."""

NAME_PREDICATES = frozenset(
    each.name for each in PREDICATES if each.object not in (SENTENCE, VALUE)
)
"""Their object is a name, which was seen in a call or written by a person: nobody claims it. Two
facts with different names are different, however alike they look."""

OBJECT_TYPES = {each.name: each.object for each in PREDICATES if each.object in OBSERVED_TYPES}
"""Predicates whose object is a name, with its type."""

PIECE_PREDICATES = frozenset(each.name for each in PREDICATES if each.piece)
"""Predicates of pieces of knowledge that somebody loaded: what type of knowledge each is."""

ATTITUDES = {each.attitude: each.name for each in PREDICATES if each.attitude}
"""Predicates of what a person says to like or dislike, as a model reads it."""

FREE_STATEMENTS = frozenset(each.name for each in PREDICATES if each.object == SENTENCE)
"""Predicates whose object is a sentence: about its subject, and about every topic it names."""

STATED_PREDICATES = frozenset(
    each.name for each in PREDICATES if each.object == SENTENCE and not each.free
)
"""Their object is a sentence that says one kind of thing. Other sentences are free statements."""

SINGLE_PREDICATES = frozenset(each.name for each in PREDICATES if each.holds_one)
"""Typed predicates that hold one value: their object is the value."""


def _listed(names: list[str]) -> str:
    return " and ".join(", ".join(names).rsplit(", ", 1))


EVENTS = _listed([each.name for each in PREDICATES if each.kind == EVENT])
"""Predicates of events, as a help text names them."""

RELATING_EVENTS = _listed(
    [each.name for each in PREDICATES if each.kind == EVENT and each.name in OBJECT_TYPES]
)
"""Those of them that lead from one entity to another."""

NOBODY = "user"
"""Whom facts are about where there is neither a project nor a speaker's name."""

PERSON_TRIGGERS = ("user_message", "learn_command")
"""Triggers by which a name may come in; `enrichment` never brings one."""

BY_PERSON = (pl.col("origin") == "human") & pl.col("trigger").is_in(PERSON_TRIGGERS)
"""Rows of RAW_LOGS that a person set off: the system's own searches engage nobody."""
