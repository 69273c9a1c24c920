"""What was run, failed and edited, as `cairn show` prints it."""

from typing import Any

from cairn.knowledge.practices.practices import in_environment
from cairn.serving.cli.terminal import TerminalColumn, console, print_table, say, say_value, shown
from cairn.serving.read.display import count, one_line, times

RUN_COLUMNS = (
    TerminalColumn("occurred_at", "when"),
    TerminalColumn("how", "ended"),
    TerminalColumn("place", "where", wide=True),
)
FAILURE_COLUMNS = (
    TerminalColumn("occurred_at", "when"),
    TerminalColumn("outcome"),
    TerminalColumn("command", most=40),
    TerminalColumn("place", "where", wide=True),
)
PROJECT_COLUMNS = (
    TerminalColumn("project", wide=True),
    TerminalColumn("failures", "failed"),
    TerminalColumn("conversations", "convs", from_width=90),
    TerminalColumn("wins", "ended"),
    TerminalColumn("losses", "stayed"),
)


def print_practice(found: dict[str, Any]) -> None:
    """A command that is run for a task."""
    row = found["practice"]
    command = in_environment(row["command"], row["env"])
    say(f"{row['task']}: {command}", style="bold", indent=2)
    say_value("project", row["project"])
    say_value("folder", row["folder"] or None)
    say_value(
        "runs", f"{count(row['runs'], 'run')} in {count(row['conversations'], 'conversation')}"
    )
    say_value("outcome", _outcome(row))
    say_value("seen", f"{shown(row['first_seen'])} to {shown(row['last_seen'])}")
    say_value("comes after", row["before"])
    say_value("then comes", row["after"])
    named = {one["practice_id"]: one["command"] for one in found["others"]}
    for label, other in (("replaced by", row["replaced_by"]), ("replaces", row["replaces"])):
        say_value(label, other and f"{named.get(other, '')} ({other})".strip())
    _table("Runs, the newest first", found["runs"], RUN_COLUMNS)
    _quotes(found["sources"])


def print_fix(found: dict[str, Any]) -> None:
    """What ended an error."""
    row = found["fix"]
    say(one_line(row["key_line"], 300), style="bold", indent=2)
    say_value("error of", row["tool_family"] or None)
    say_value("signature", row["signature"])
    if row["fix"]:
        say_value("fix", row["fix"])
        say_value("ended it", times(row["wins"], row["losses"]))
    else:
        say_value("fix", "nothing is proven to end it")
    say_value("failed", times(row["failures"], 0))
    say_value("seen", f"{shown(row['first_seen'])} to {shown(row['last_seen'])}")
    _table("Projects", found["projects"], PROJECT_COLUMNS)
    _table("Failures, the newest first", found["failures"], FAILURE_COLUMNS)
    _quotes(found["sources"])


def print_project_fact(found: dict[str, Any]) -> None:
    """What is counted of a project."""
    row = found["project_fact"]
    names = " and ".join(filter(None, [row["name"], row["other"]]))
    say(f"{row['kind'].replace('_', ' ')}: {names}", style="bold", indent=2)
    say_value("project", row["project"])
    share = "" if row["share"] is None else f", {row['share']:.0%} of those that could tell"
    say_value("support", f"{count(row['conversations'], 'conversation')}{share}")
    say_value("seen", f"{shown(row['first_seen'])} to {shown(row['last_seen'])}")
    _quotes(found["sources"])


def _outcome(row: dict[str, Any]) -> str:
    untold = row["runs"] - row["passed"] - row["failed"]
    rest = f"; nothing tells of {untold:,}" if untold else ""
    return f"{row['passed']:,} passed, {row['failed']:,} failed{rest}"


def _table(title: str, rows: list[dict[str, Any]], columns: tuple[TerminalColumn, ...]) -> None:
    if not rows:
        return
    console().print()
    say(title, style="bold")
    how = {True: "passed", False: "failed", None: "?"}
    told = [
        row | {"how": how[row.get("passed")], "place": f"{row.get('file')}:{row.get('line')}"}
        for row in rows
    ]
    print_table(told, columns, indent=2)


def _quotes(sources: list[dict[str, Any]]) -> None:
    if not sources:
        return
    console().print()
    say(f"Rests on ({len(sources)})", style="bold")
    for source in sources:
        say(f"{shown(source['occurred_at'])}  {source['origin']}  {source['record_id']}", indent=2)
        say(f"“{one_line(source['quote'], 200)}”", indent=4)
        place = f"    {source['file']}:{source['line']}"
        console().print(place, style="dim", markup=False, soft_wrap=True)
