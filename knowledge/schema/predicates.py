"""What a predicate is: of what kind its object is, and who may say it."""

import polars as pl

OBJECT_TYPES = {
    "used_tool": "tool",
    "connects_to_host": "host",
    "mentions_path": "path",
    "targets_system": "system",
}
"""Predicates whose object is a name, with its type."""

PIECE_PREDICATES = frozenset({"fact", "instruction", "preference", "procedure", "note", "episodic"})
"""Predicates of pieces of knowledge that somebody loaded: what type of knowledge each is."""

ATTITUDES = {"like": "likes", "dislike": "dislikes"}
"""Predicates of what a person says to like or dislike, as a model reads it."""

FREE_STATEMENTS = PIECE_PREDICATES | {
    "states", "discovery", "provides_solution", "identifies_issue", *ATTITUDES.values(),
}  # fmt: skip
"""Predicates whose object is a sentence: about its subject, and about every topic it names."""

STRUCTURAL_PREDICATES = frozenset({"used_tool", "executed_command", "mentions_path"})
"""Can be queried, but are never embedded, searched freely or streamed into a context."""

NAME_PREDICATES = STRUCTURAL_PREDICATES | {
    "connects_to_host", "targets_system", "operation_type",
}  # fmt: skip
"""Their object is a name, which was seen in a call or written by a person: nobody claims it. Two
facts with different names are different, however alike they look."""

OBSERVED_TYPES = frozenset({"project", "host", "path", "tool", "package", "system", "person"})
"""Types that rules set; every other entity is a topic."""

NOBODY = "user"
"""Whom facts are about where there is neither a project nor a speaker's name."""

PERSON_TRIGGERS = ("user_message", "learn_command")
"""Triggers by which a name may come in; `enrichment` never brings one."""

BY_PERSON = (pl.col("origin") == "human") & pl.col("trigger").is_in(PERSON_TRIGGERS)
"""Rows of RAW_LOGS that a person set off: the system's own searches engage nobody."""

STATED_PREDICATES = frozenset({"provides_solution", "identifies_issue", "discovery"})
"""Their object is a sentence that says one kind of thing. Other sentences are free statements."""
