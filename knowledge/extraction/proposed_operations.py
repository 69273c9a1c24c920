"""Kinds of operation that no rule names yet: commands that come again, for a person to name.

What is proposed is a pattern: a program, and its first operand where that names what to do. A
person accepts it by a line in `Policy.learned_operations`, which the rule `operation_type` reads,
or dismisses it there; either way it is proposed no more.
"""

import re
from functools import lru_cache

import polars as pl

from cairn.knowledge.nlp.shell.parser import Command, commands
from cairn.knowledge.nlp.shell.programs import (
    BUILTINS,
    EVERYDAY,
    PROGRAMS,
    learned,
    operand,
    operations,
)
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import PROPOSED_OPERATIONS

EXAMPLES = 3

_PROGRAM = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{1,30}")
_VERB = re.compile(r"[a-z][a-z0-9]*(?:[-:][a-z0-9]+)*")
_LONGEST_VERB = 20


def proposed_operations(facts: pl.DataFrame, sources: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """PROPOSED_OPERATIONS: patterns of commands without an operation type, often enough run.

    A program with an operand is proposed where it was run in `operation_min_commands` different
    commands of `operation_min_conversations` conversations; what is left of a program, and is as
    much together, is proposed by the program alone. `facts` are those with the predicate
    executed_command.
    """
    named = learned(policy.learned_operations)
    lines = facts["object"].unique().sort().to_list()
    found = [
        (line, pattern.partition(" ")[0], pattern)
        for line in lines
        for pattern in sorted(set(_unnamed(line)))
        if pattern not in named and pattern.partition(" ")[0] not in named
    ]
    shapes = pl.DataFrame(
        found,
        schema={"object": pl.String, "program": pl.String, "pattern": pl.String},
        orient="row",
    )
    said = (
        facts.select("namespace", "fact_id", "object")
        .join(shapes, on="object")
        .join(
            sources.select("namespace", "fact_id", "conversation_id", "occurred_at"),
            on=["namespace", "fact_id"],
        )
    )
    narrow = _enough(said.filter(pl.col("pattern") != pl.col("program")), policy)
    rest = said.join(narrow, on=["namespace", "pattern"], how="anti").with_columns(
        pattern=pl.col("program")
    )
    proposed = pl.concat([narrow, _enough(rest, policy)])
    return PROPOSED_OPERATIONS.frame(
        proposed.with_columns(
            name=pl.col("pattern").str.replace_all(r"[^A-Za-z0-9]+", "_").str.to_lowercase(),
            proposal_id=digest_column("namespace", "pattern", prefix="o_"),
        )
    )


def proposed_operations_after(
    changed: pl.DataFrame,
    stored: pl.DataFrame,
    facts: pl.DataFrame,
    sources: pl.DataFrame,
    policy: Policy,
) -> pl.DataFrame:
    """What `proposed_operations` gives, where just some commands came, went or were run again.

    To read a command takes longer than to look for a word in it: only those that may run a program
    of a changed one are read.

    Args:
        changed: Facts that differ, or whose sources do.
        stored: What was proposed before.
        facts: All of them, as they are now.
        sources: FACT_SOURCES, as they are now.
        policy: The bars, as they were.
    """
    programs = sorted(
        {
            pattern.partition(" ")[0]
            for line in changed["object"].unique()
            for pattern in _unnamed(line)
        }
    )
    if not programs:
        return stored
    # A name may be quoted in part.
    told = pl.col("object").str.replace_all(r"[\\'\"\n]", "")
    anew = proposed_operations(facts.filter(told.str.contains_any(programs)), sources, policy)
    of_these = pl.col("pattern").str.extract(r"^(\S+)").is_in(programs)
    return PROPOSED_OPERATIONS.frame(pl.concat([stored.filter(~of_these), anew.filter(of_these)]))


def _enough(said: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Patterns that reach both bars, with their counts, times and examples."""
    return (
        said.group_by("namespace", "pattern")
        .agg(
            commands=pl.col("object").n_unique(),
            conversations=pl.col("conversation_id").n_unique(),
            example_ids=pl.col("fact_id").unique().sort().head(EXAMPLES),
            first_seen=pl.col("occurred_at").min(),
            last_seen=pl.col("occurred_at").max(),
        )
        .filter(
            pl.col("commands") >= policy.operation_min_commands,
            pl.col("conversations") >= policy.operation_min_conversations,
        )
    )


@lru_cache(maxsize=65_536)
def _unnamed(line: str) -> tuple[str, ...]:
    return tuple(
        pattern
        for command in commands(line)
        if not operations(command) and (pattern := pattern_of(command))
    )


def pattern_of(command: Command) -> str | None:
    """Program and what it is told to do; None for a program that is everywhere, or none at all."""
    name = command.name
    if name in EVERYDAY or name in BUILTINS or not _PROGRAM.fullmatch(name):
        return None
    program = PROGRAMS.get(name)
    if program and program.always:
        return None  # such as `ssh -V`: the program is named, this command does nothing
    verb = operand(command)
    if verb and len(verb.text) <= _LONGEST_VERB and _VERB.fullmatch(verb.text):
        return f"{name} {verb.text}"
    return name
