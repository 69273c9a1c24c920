"""Whether what was offered helped: where it was shown, against where it was held out."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from cairn.knowledge.engine.wilson import interval
from cairn.knowledge.ingest.inbox_events.offers import OFFERS, offer_of
from cairn.knowledge.schema.tables import UTILITY

HELPS, HARMS, NOTHING = "helps", "harms", "nothing"
TOO_FEW, NOT_MEASURED = "too_few", "not_measured"

STOPPED = (HARMS, NOTHING)
"""Verdicts on a piece by which it is offered no more."""

MANY = 20
"""Sessions in which a piece was shown, before it is said that it harms, or brings nothing."""

SOON = 3
"""Runs of commands after a failure, within which its check passed soon."""

USED, NOT_AGAIN, ENDED_SOON, NOT_REPEATED = "used", "not_again", "ended_soon", "not_repeated"

_KINDS = {"w_": "practice", "ef": "fix", "f_": "fact", "l_": "learning", "p_": "place"}
"""Kinds by how an id begins; else it is an episode."""

_SESSION = ["namespace", "conversation_id", "piece_id"]


def utility(
    logs: pl.DataFrame,
    runs: pl.DataFrame,
    failures: pl.DataFrame,
    signatures: pl.DataFrame,
    practices: pl.DataFrame,
    fact_sources: pl.DataFrame,
) -> pl.DataFrame:
    """What came of offers, by what the logs of their sessions say after them.

    A piece counts once in a session, from the first time that it was offered there. In a session in
    which an outcome could not be seen (nothing was linted, the error did not come) it is not
    counted for that outcome.
    """
    offered = offers(logs)
    if offered.is_empty():
        return UTILITY.empty()
    good = pl.concat(
        [
            _used(offered, practices, runs),
            *_of_fixes(offered, signatures, failures, runs),
            _not_repeated(offered, fact_sources),
        ]
    )
    seen = offered.join(good, on=_SESSION, how="left").with_columns(pl.col("outcome").fill_null(""))
    measured = seen.filter(pl.col("outcome") != "")
    # What was never to be seen is told once, so that it is known that it was offered.
    silent = seen.join(measured, on=["namespace", "piece_id"], how="anti")
    pieces = pl.concat([measured, silent])
    of_kind = measured.with_columns(piece_id=pl.lit(""))
    return UTILITY.frame([*_rows(pieces), *_rows(of_kind)])


def offers(logs: pl.DataFrame) -> pl.DataFrame:
    """Each piece that was offered in a session, once.

    Returns:
        namespace, conversation_id, piece_id, kind, held (whether it was held out), moment,
        offered_at: of the first time.
    """
    rows: list[dict[str, Any]] = []
    for namespace, at, told in (
        logs.filter(OFFERS).select("namespace", "occurred_at", "tool_input").iter_rows()
    ):
        offer = offer_of(told)
        rows += (
            {
                "namespace": namespace, "conversation_id": offer.session, "piece_id": piece,
                "kind": _KINDS.get(piece[:2], "episode"), "held": held, "moment": offer.moment,
                "offered_at": at,
            }
            for pieces, held in ((offer.shown, False), (offer.held_out, True))
            for piece in pieces
        )  # fmt: skip
    schema = dict.fromkeys((*_SESSION, "kind", "moment"), pl.String()) | {
        "held": pl.Boolean(),
        "offered_at": UTILITY.schema["last_offered"],
    }
    return (
        pl.DataFrame(rows, schema=schema)
        .filter(pl.col("offered_at").is_not_null())
        .sort("offered_at", *_SESSION, "held")
        .unique(_SESSION, keep="first", maintain_order=True)
    )


def _used(offered: pl.DataFrame, practices: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Whether an offered command was run, in sessions in which its task was done afterwards."""
    commands = practices.select("namespace", "task", "command", piece_id="practice_id")
    ran = runs.select("namespace", "conversation_id", "occurred_at", "task", ran="command")
    return (
        offered.filter(kind="practice")
        .join(commands, on=["namespace", "piece_id"])
        .join(ran.drop_nulls("task"), on=["namespace", "conversation_id", "task"])
        .filter(pl.col("occurred_at") > pl.col("offered_at"))
        .group_by(_SESSION)
        .agg(good=(pl.col("ran") == pl.col("command")).any())
        .select(*_SESSION, pl.lit(USED).alias("outcome"), "good")
    )


def _of_fixes(
    offered: pl.DataFrame, signatures: pl.DataFrame, failures: pl.DataFrame, runs: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Whether an error that a fix was offered for came back, and whether its check passed soon.

    A fix in a brief counts where the error came after it; one that came with an error, by whether
    it came again.
    """
    fixes = signatures.select("namespace", "tool_family", "signature", piece_id="fix_id").unique()
    came = failures.select(
        "namespace", "conversation_id", "tool_family", "signature", "occurred_at", "settled_at",
        "outcome",
    )  # fmt: skip
    met = (
        offered.filter(kind="fix")
        .join(fixes, on=["namespace", "piece_id"])
        .join(came, on=["namespace", "conversation_id", "tool_family", "signature"])
        .filter((pl.col("moment") == "failure") | (pl.col("occurred_at") > pl.col("offered_at")))
    )
    with_error = met.filter(moment="failure")
    yield (
        with_error.group_by(_SESSION)
        .agg(good=~(pl.col("occurred_at") > pl.col("offered_at")).any())
        .select(*_SESSION, pl.lit(NOT_AGAIN).alias("outcome"), "good")
    )
    # The hook runs just after the command failed: the last failure before it is the one meant.
    meant = met.sort("occurred_at").filter(
        (pl.col("moment") != "failure") | (pl.col("occurred_at") <= pl.col("offered_at"))
    )
    last = pl.concat(
        [
            meant.filter(moment="failure").unique(_SESSION, keep="last", maintain_order=True),
            meant.filter(pl.col("moment") != "failure").unique(
                _SESSION, keep="first", maintain_order=True
            ),
        ]
    )
    between = (
        last.join(
            runs.select("namespace", "conversation_id", ran_at="occurred_at"),
            on=["namespace", "conversation_id"],
            how="left",
        )
        .group_by(_SESSION)
        .agg(
            ended=pl.col("outcome").is_in(["fixed", "flake"]).first(),
            runs=pl.col("ran_at").is_between("occurred_at", "settled_at", closed="none").sum(),
        )
    )
    yield between.select(
        *_SESSION,
        pl.lit(ENDED_SOON).alias("outcome"),
        good=pl.col("ended") & (pl.col("runs") <= SOON),
    )


def _not_repeated(offered: pl.DataFrame, fact_sources: pl.DataFrame) -> pl.DataFrame:
    """Whether the person did not have to say again, in the session, what was offered."""
    said = fact_sources.select("namespace", "conversation_id", "occurred_at", piece_id="fact_id")
    return (
        offered.filter(kind="fact")
        .join(said, on=_SESSION, how="left")
        .group_by(_SESSION)
        .agg(again=(pl.col("occurred_at") > pl.col("offered_at")).fill_null(value=False).any())
        .select(*_SESSION, pl.lit(NOT_REPEATED).alias("outcome"), good=~pl.col("again"))
    )


def _rows(seen: pl.DataFrame) -> Iterator[dict[str, Any]]:
    told = seen["outcome"] != ""
    counted = (
        seen.with_columns(told=told)
        .group_by("namespace", "kind", "piece_id", "outcome")
        .agg(
            shown=(pl.col("told") & ~pl.col("held")).sum(),
            shown_good=(pl.col("good").fill_null(value=False) & ~pl.col("held")).sum(),
            held=(pl.col("told") & pl.col("held")).sum(),
            held_good=(pl.col("good").fill_null(value=False) & pl.col("held")).sum(),
            offered=pl.struct("conversation_id", "piece_id").n_unique(),
            last_offered=pl.col("offered_at").max(),
        )
        .sort("namespace", "kind", "piece_id", "outcome")
    )
    for row in counted.iter_rows(named=True):
        counts = (row["shown_good"], row["shown"], row["held_good"], row["held"])
        found = difference(*counts)
        yield row | {
            "difference": found and found[0],
            "low": found and found[1],
            "high": found and found[2],
            "verdict": verdict(row["outcome"], *counts),
        }


def difference(
    good: int, shown: int, held_good: int, held: int
) -> tuple[float, float, float] | None:
    """The difference of two shares with its 95 % interval; None where one of them is of nothing.

    Newcombe, R. G. (1998): Interval estimation for the difference between independent proportions,
    method 10: of the two intervals of Wilson.
    """
    if not (shown and held):
        return None
    p, q = good / shown, held_good / held
    (p_low, p_high), (q_low, q_high) = (
        interval(good, shown - good),
        interval(held_good, held - held_good),
    )
    low = p - q - ((p - p_low) ** 2 + (q_high - q) ** 2) ** 0.5
    high = p - q + ((p_high - p) ** 2 + (q - q_low) ** 2) ** 0.5
    return round(p - q, 6), round(low, 6), round(high, 6)


def verdict(outcome: str, good: int, shown: int, held_good: int, held: int) -> str:
    """What the counts say, where they say anything."""
    if not outcome:
        return NOT_MEASURED
    found = difference(good, shown, held_good, held)
    if shown >= MANY and not good:
        return NOTHING
    if found and found[1] > 0:
        return HELPS
    if found and found[2] < 0 and shown >= MANY:
        return HARMS
    return TOO_FEW


def offered_no_more(table: pl.DataFrame) -> pl.Series:
    """Ids of the pieces of UTILITY that are offered no more."""
    stopped = pl.col("verdict").is_in(STOPPED) & (pl.col("piece_id") != "")
    return table.filter(stopped)["piece_id"].unique().sort()
