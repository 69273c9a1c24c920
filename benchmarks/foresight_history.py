"""What happened in a session that had been there before, and what was written before it began."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.tool_calls import steps
from cairn.knowledge.dialogue.turns import conversations, readable
from cairn.knowledge.failures.lookup import known_by
from cairn.knowledge.failures.stages import error_signatures
from cairn.knowledge.nlp.text import CHARACTERS_PER_TOKEN
from cairn.knowledge.practices.observed.requests import KIND as REQUEST
from cairn.knowledge.practices.observed.requests import request_key
from cairn.knowledge.practices.places.projects import in_projects, naming
from cairn.knowledge.vectors.similarity import pair_similarity
from cairn.resources.context import State

KNOWN_SESSIONS = 3
"""Sessions of a project that nothing is asked of: there is little to know yet."""
CHECKED_TASKS = ("test", "lint", "format", "build", "type_check")
WISH_PREDICATES = ("directs", "asks", "refuses")
COMMANDS, FIXED, UNFIXED = "commands", "fixed errors", "errors without a fix"
WISHES, FILES = "wishes", "files"
KINDS = (COMMANDS, FIXED, UNFIXED, WISHES, FILES)
_KEY_CHARACTERS = 60
"""Of a key line, how much must stand in a text for the error to be shown."""


class Session(NamedTuple):
    """A session that is foretold."""

    conversation: str
    project: str
    """Name, as the brief has it."""
    begins: datetime


class Happened(NamedTuple):
    """One thing of a session that had been there before."""

    kind: str
    what: str
    """A stable form, a signature, what was said, a path."""
    words: frozenset[str]
    """One of these stands in a text that shows it."""
    line_ids: frozenset[str] = frozenset()
    """Lines of a brief that tell it: fixes of an error, facts that say the same."""
    folder: str = ""
    """Where a command was run."""

    def shown(self, text: str) -> bool:
        """Whether it stands in a text."""
        return any(stands(words, text) for words in self.words)


class History:
    """Tables of one set, and what of a session they say was there before."""

    def __init__(self, tables: Mapping[str, pl.DataFrame], state: State) -> None:
        self.tables = tables
        self._state = state
        called = naming(tables["projects"])
        self._project: dict[str, str] = {
            conversation: called(project)
            for conversation, project in in_projects(tables["conversations"], tables["projects"])
            .select("conversation_id", "project")
            .drop_nulls()
            .iter_rows()
        }

    def sessions(self, after: int = KNOWN_SESSIONS) -> list[Session]:
        """Those of each project after so many, in the order of their starts."""
        dated = self.tables["conversations"].filter(pl.col("started_at").is_not_null())
        counts = Counter[str]()
        found: list[Session] = []
        for conversation, begins in (
            dated.sort("started_at", "conversation_id")
            .select("conversation_id", "started_at")
            .iter_rows()
        ):
            project = self._project.get(conversation)
            if project:
                counts[project] += 1
                if counts[project] > after:
                    found.append(Session(conversation, project, begins))
        return found

    def happened(self, session: Session) -> Iterator[Happened]:
        """What of a session was there before, each thing once."""
        yield from self._commands(session)
        yield from self._errors(session)
        yield from self._wishes(session)
        yield from self._files(session)

    def _parted(self, rows: pl.DataFrame, session: Session) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Rows of what was before a session in its project, and those of the session."""
        names = pl.col("conversation_id").replace_strict(self._project, default=None)
        own = rows.filter(names == session.project)
        mine = pl.col("conversation_id") == session.conversation
        return own.filter(~mine, pl.col("occurred_at") < session.begins), own.filter(mine)

    def _commands(self, session: Session) -> Iterator[Happened]:
        runs = self.tables["command_runs"].filter(pl.col("task").is_in(CHECKED_TASKS))
        before, now = self._parted(runs, session)
        columns = ["command", "folder"]
        again = now.select(columns).unique().join(before, on=columns, how="semi").sort(columns)
        for command, folder in again.iter_rows():
            yield Happened(COMMANDS, command, frozenset([command]), folder=folder)

    def _errors(self, session: Session) -> Iterator[Happened]:
        before, now = self._parted(self.tables["failures"], session)
        known = error_signatures(known_by(before, just_before(session))).drop_nulls("fix")
        key = ["tool_family", "signature"]
        again = now.select(key).unique().join(before, on=key, how="semi").sort(key)
        for family, told in again.iter_rows():
            same = (pl.col("tool_family") == family) & (pl.col("signature") == told)
            fixes = frozenset(known.filter(same)["fix_id"])
            lines = [*before.filter(same)["key_line"], *now.filter(same)["key_line"]]
            words = frozenset(str(line)[:_KEY_CHARACTERS] for line in lines)
            yield Happened(FIXED if fixes else UNFIXED, told, words, fixes)

    @cached_property
    def _said(self) -> pl.DataFrame:
        """What persons want: namespace, conversation_id, occurred_at, fact_id, content."""
        wishes = self.tables["facts"].filter(pl.col("predicate").is_in(WISH_PREDICATES))
        sources = self.tables["fact_sources"].select(
            "fact_id", "candidate_id", "conversation_id", "occurred_at"
        )
        return wishes.select("fact_id", "content").join(sources, on="fact_id")

    def _wishes(self, session: Session) -> Iterator[Happened]:
        yield from self._requests(session)
        before, now = self._parted(self._said, session)
        wanted = before.select("fact_id", "content").unique().sort("fact_id")
        for content in sorted(set(now["content"])):
            same = wanted.filter(self._alike(content, wanted["content"]))
            if not same.is_empty():
                words = frozenset([content, *same["content"]])
                yield Happened(WISHES, content, words, frozenset(same["fact_id"]))

    def _requests(self, session: Session) -> Iterator[Happened]:
        """What is asked for in passing, in whatever words; a template that is pasted asks once."""
        before, now = self._parted(self.tables["observations"].filter(kind=REQUEST), session)
        anew = now.join(before.drop_nulls("value"), on="value", how="anti")
        asked: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for phrase in before["name"]:
            asked[request_key(phrase)].add(phrase)
        for key in sorted({request_key(phrase) for phrase in anew["name"]} & asked.keys()):
            yield Happened(WISHES, " … ".join(key), frozenset(asked[key]))

    def _alike(self, content: str, others: pl.Series) -> pl.Series:
        embedder, policy = self._state.embedder, self._state.policy
        if others.is_empty():
            return pl.Series([], dtype=pl.Boolean)
        one, many = embedder.embed([content]), embedder.embed(others.to_list())
        rows = pl.Series(range(len(many)), dtype=pl.Int64).to_numpy()
        alike = pair_similarity(one, many, rows * 0, rows, embedder)
        return (others == content) | pl.Series(alike > policy.contradiction_similarity)

    def _files(self, session: Session) -> Iterator[Happened]:
        before, now = self._parted(self.tables["file_edits"], session)
        for path in sorted(set(now["path"]) & set(before["path"])):
            yield Happened(FILES, path, frozenset([path]))

    def last_session(self, session: Session, budget: int) -> str:
        """The end of what was written in the project's last session before this one began."""
        before, _ = self._parted(self.tables["raw_logs"], session)
        if before.is_empty():
            return ""
        last = before.sort("occurred_at", "conversation_id", "seq")["conversation_id"][-1]
        rows = before.filter(pl.col("conversation_id") == last).sort("seq")
        said = [
            part for row in rows.select("text", "tool_input").iter_rows() for part in row if part
        ]
        return "\n".join(said)[-budget * CHARACTERS_PER_TOKEN :]

    @cached_property
    def _typed(self) -> pl.DataFrame:
        """Command lines as typed: conversation_id, occurred_at, line."""
        rows = [
            {
                "conversation_id": conversation,
                "occurred_at": step.call.occurred_at,
                "line": step.command,
            }
            for _, conversation, turns in conversations(readable(self.tables["raw_logs"]))
            for step in steps(turns)
            if step.command
        ]
        schema = {"conversation_id": pl.String, "occurred_at": pl.Datetime("us", "UTC"),
                  "line": pl.String}  # fmt: skip
        return pl.DataFrame(rows, schema=schema)

    def frequent_commands(self, session: Session, budget: int) -> str:
        """The command lines that earlier sessions of the project ran most often."""
        before, _ = self._parted(self._typed, session)
        counted = Counter(before["line"].to_list())
        lines = [line for line, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0]))]
        return "\n".join(lines)[: budget * CHARACTERS_PER_TOKEN]


def just_before(session: Session) -> datetime:
    """The moment as of which a session is foretold: nothing of it has happened."""
    return session.begins - timedelta(microseconds=1)


def stands(words: str, text: str) -> bool:
    """Whether words stand in a text, whole and in their order, however they are spaced."""
    spaced = r"\s+".join(map(re.escape, words.split()))
    return bool(spaced) and re.search(rf"(?<![\w-]){spaced}(?![\w-])", text) is not None
