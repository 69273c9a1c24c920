"""`cairn utility`."""

from typing import Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.models.parameters import UtilityParameters
from cairn.serving.read.reader import open_reader

VERDICTS = {
    "helps": "helps",
    "harms": "harms: offered no more",
    "nothing": "nothing came of it: offered no more",
    "too_few": "too few to tell",
    "not_measured": "not measured",
}
"""What is said of each verdict."""

OUTCOMES = {
    "used": "its command was run",
    "not_again": "the error did not come back",
    "ended_soon": "its check passed soon",
    "not_repeated": "did not have to be said again",
    "": "",
}

OFFER_COLUMNS = (
    TerminalColumn("what", "", wide=True),
    TerminalColumn("shown"),
    TerminalColumn("held", "held out"),
    TerminalColumn("difference"),
    TerminalColumn("verdict"),
)
_COLUMNS = (
    OFFER_COLUMNS[0],
    TerminalColumn("outcome", "good if", from_width=90),
    *OFFER_COLUMNS[1:],
)
_MUTED = (
    TerminalColumn("piece_id", "piece"),
    TerminalColumn("text", "", wide=True),
    TerminalColumn("since"),
)


@click.command(
    epilog="""\b
Examples:
  cairn utility
  cairn utility --namespace work --limit 50
  cairn utility --json

Agents that are connected (`cairn connect`) are given what is known at each moment, but for one
piece in ten, which is held out of a session on purpose (policy.holdout_share). The difference is
that of the shares of good sessions, with its interval of 95 %. What harms, or brings nothing, is
offered no more; `cairn mute ID` does that to any piece, and `cairn unmute ID` takes it back."""
)
@options.namespace(options.ONE_NAMESPACE)
@parameters(UtilityParameters, "limit")
@options.as_json
@click.pass_context
def command(ctx: click.Context, namespace: str | None, limit: int, as_json: bool) -> None:
    """Whether what agents were given helped: shown, against held out."""
    from cairn.serving.models.queries import BY_NAME

    reader = open_reader(options.state_of(ctx), namespace)
    found = BY_NAME["utility"].answered(reader, UtilityParameters.model_validate({"limit": limit}))
    if as_json:
        emit_json(found.model_dump(mode="json"))
        return
    found = found.model_dump()
    if not found["pieces"]:
        advise("Nothing was offered yet: `cairn connect` gives an agent its memory.")
        _tell_muted(found["muted"])
        return
    if found["kinds"]:
        say("By kind", style="bold")
        print_table([row_of(row, row["kind"]) for row in found["kinds"]], _COLUMNS)
    say("Offered most", style="bold")
    print_table(
        [row_of(row, f"{row['piece_id']}  {row['text']}") for row in found["top"]], _COLUMNS
    )
    _tell_muted(found["muted"])


def _tell_muted(pieces: list[dict[str, Any]]) -> None:
    if pieces:
        say("Muted: told to no agent", style="bold")
        print_table(pieces, _MUTED)


def row_of(row: dict[str, Any], what: str) -> dict[str, str]:
    """A row of UTILITY as people read it."""
    told = bool(row["outcome"])
    found = row["difference"] is not None
    return {
        "what": what,
        "outcome": OUTCOMES[row["outcome"]],
        "shown": f"{row['shown_good']} of {row['shown']}" if told else f"{row['offered']} sessions",
        "held": f"{row['held_good']} of {row['held']}" if told else "",
        "difference": f"{row['difference']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
        if found
        else "",
        "verdict": VERDICTS[row["verdict"]],
    }
