"""Lines of a brief on how a project is kept: commits, branches, versions, ports, services."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from cairn.knowledge.practices.briefs.line import DIRECTIVE, PLACE, PRACTICE, BriefLine
from cairn.knowledge.practices.conventions import BRANCH_FORM, COMMIT_FORM, COMMIT_TRAILER
from cairn.knowledge.practices.observed import branches, ports, requests, systems, versions

MOST_VERSIONS, MOST_PORTS, MOST_SERVICES, MOST_ASKED = 5, 5, 5, 4
"""Things that one line names."""

_Row = Mapping[str, Any]


def convention_lines(known: pl.DataFrame) -> Iterator[BriefLine]:
    """How commits and branches are named, then what a project runs with.

    The repository, its main branch and the system alone, an agent sees at once.
    What several checkouts tell of one kind, or of one language, is told by the one that most
    conversations bear out.
    """
    of_kind: dict[str, list[_Row]] = {}
    for row in _most_first(known).iter_rows(named=True):
        of_kind.setdefault(row["kind"], []).append(row)
    main = next(iter(of_kind.get(branches.MAIN_KIND, ())), None)
    for form in of_kind.get(COMMIT_FORM, ())[:1]:
        yield _line(PRACTICE, f"Commit messages: {_form(form)}", form)
    for trailer in of_kind.get(COMMIT_TRAILER, ())[:1]:
        often = f"({trailer['having']} of {trailer['among']})"
        yield _line(PRACTICE, f"Commits carry {trailer['name']} {often}", trailer)
    for form in of_kind.get(BRANCH_FORM, ())[:1]:
        start = f" from `{main['name']}`" if main else ""
        yield _line(PRACTICE, f"Branches: {_form(form)}{start}", form)
    yield from _places(of_kind)


_EVERYDAY = (
    r"^(?:pull|sync|rebase|push|merge)\b"
    r"|^(?:create|open|raise|write|draft|review)(?: (?:the|an?|new|our))*"
    r" (?:pr|prs|pull requests?|commits?|branch)$"
)
"""What everybody asks of an agent in each project."""


def asked_again(known: pl.DataFrame) -> Iterator[BriefLine]:
    """What a person asks for in session after session, the most often first."""
    everyday = pl.col("name").str.to_lowercase().str.contains(_EVERYDAY)
    asked = _most_first(known.filter(pl.col("kind") == requests.KIND, ~everyday))
    rows = asked.unique("name", keep="first", maintain_order=True).head(MOST_ASKED)
    for row in rows.iter_rows(named=True):
        yield _line(DIRECTIVE, f"Asked for again: {row['name']}", row)


def _most_first(known: pl.DataFrame) -> pl.DataFrame:
    """Facts that most conversations bear out first, then the latest."""
    return known.sort(
        "conversations", "last_seen", "project_fact_id", descending=[True, True, False],
        nulls_last=True,
    )  # fmt: skip


def _places(of_kind: Mapping[str, Sequence[_Row]]) -> Iterator[BriefLine]:
    """Versions in force, the most telling first, on which system; ports, services."""
    told = sorted(
        _once(of_kind.get(versions.KIND, ())), key=lambda row: versions.order(row["name"])
    )[:MOST_VERSIONS]
    system = next(iter(of_kind.get(systems.KIND, ())), None)
    if told:
        each = ", ".join(f"{row['name']} {row['other']}" for row in told)
        on = f" on {system['name']}" if system else ""
        yield _line(PLACE, f"Versions: {each}{on}", *told)
    for kind, named, most in (
        (ports.KIND, "Ports", MOST_PORTS), (ports.SERVICE_KIND, "Services", MOST_SERVICES),
    ):  # fmt: skip
        # A port of which nobody knows what listens there tells nothing.
        rows = [row for row in of_kind.get(kind, ()) if kind != ports.KIND or row["other"]]
        if used := _once(rows)[:most]:
            yield _line(PLACE, f"{named}: {', '.join(map(_with_other, used))}", *used)


def _form(row: _Row) -> str:
    types = f"; {row['other']}" if row["other"] else ""
    return f"`{row['name']}` ({row['having']} of {row['among']}{types})"


def _with_other(row: _Row) -> str:
    return f"{row['name']} ({row['other']})" if row["other"] else row["name"]


def _once(rows: Sequence[_Row]) -> list[_Row]:
    """Rows of each name once, the first."""
    return list({row["name"]: row for row in reversed(rows)}.values())[::-1]


def _line(kind: str, text: str, *rows: _Row) -> BriefLine:
    """A line that one or several facts bear out; it has the id of the first."""
    most = max(row["conversations"] for row in rows)
    support = max(row["having"] or row["conversations"] for row in rows)
    last = max((row["last_seen"] for row in rows if row["last_seen"] is not None), default=None)
    return BriefLine(rows[0]["project_fact_id"], kind, text, support, most, last)
