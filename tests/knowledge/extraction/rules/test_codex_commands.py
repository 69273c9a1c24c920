"""Calls of rollouts: what was started, whether a shell reads it or nothing does."""

import json
from datetime import UTC, datetime

import polars as pl
import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules import Record, field_text
from cairn.knowledge.extraction.rules.rule import RECORD_COLUMNS
from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed, raw_logs
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.schema.policy import Policy

DONE = {"output": "done", "metadata": {"exit_code": 0}}
FAILED = {"output": "", "metadata": {"exit_code": 1}}


Call = tuple[object, object]
"""The words that a shell tool is called with, and what it gives back."""


def found(words: object, result: object = DONE) -> pl.DataFrame:
    (rows,) = found_in_each((words, result))
    return rows


def found_in_each(*calls: Call, local: bool = False) -> list[pl.DataFrame]:
    """What rules find in sessions of one call; each quote stands where it says."""
    records = pl.concat(
        read_records(
            session(f"s{number}", *call, local=local),
            namespace="n",
            source_file="rollout.jsonl",
            timezone="UTC",
            seen_at=datetime(2026, 6, 1, tzinfo=UTC),
            redactor=None,
        ).records
        for number, call in enumerate(calls)
    )
    where = placed(records.select(HEAD_COLUMNS), Policy())
    belongs = where.select("namespace", "record_key", "conversation_id", "day")
    logs = raw_logs(records.join(belongs, on=["namespace", "record_key"])).raw_logs
    proposed = candidates(logs, Policy())
    assert proposed.failures.is_empty()
    by_id = {row[0]: Record(*row) for row in logs.select(RECORD_COLUMNS).iter_rows()}
    for record, field, start, end, quote in proposed.candidates.select(
        "record_id", "quote_field", "quote_start", "quote_end", "quote"
    ).iter_rows():
        assert quote
        assert (field_text(field, by_id[record]) or "")[start:end] == quote
    return [
        proposed.candidates.filter(conversation_id=f"s{number}") for number in range(len(calls))
    ]


def session(name: str, words: object, result: object, *, local: bool) -> bytes:
    call: dict[str, object] = {"type": "function_call", "name": "shell", "call_id": "c1"}
    if local:
        call = {"type": "local_shell_call", "call_id": "c1", "status": "completed"}
        call["action"] = {"type": "exec", "command": words, "env": {}}
    else:
        call["arguments"] = json.dumps({"command": words, "workdir": "/srv/app"})
    told = result if isinstance(result, str) else json.dumps(result)
    items = [call, {"type": "function_call_output", "call_id": "c1", "output": told}]
    head = {"type": "session_meta", "payload": {"id": name}}
    lines = [head, *({"type": "response_item", "payload": item} for item in items)]
    return b"".join(
        json.dumps({"timestamp": "2026-05-01T10:00:00Z", **line}).encode() + b"\n" for line in lines
    )


def objects(rows: pl.DataFrame, rule: str) -> list[str]:
    return sorted(rows.filter(pl.col("extractor").str.starts_with(f"{rule}@"))["object"])


LISTS = [
        (["rg", "-n", "parser"], ["rg"], []),
        (["grep", "-rn", "scheduler"], [], []),
        (["git", "-C", "vendored"], ["git"], []),
        (["pytest", "-q", "gauges"], ["pytest"], []),
        (["python", "-c", "import sluice; print(1)"], ["python"], []),
        (["rg", "-l", "ssh admin@gauge.example.net"], ["rg"], []),
        (["node", "-e", "gizmo\nfrob"], ["node"], []),
        (["sed", "-n", "widget"], [], []),
        (["look at the code"], [], []),
        (["git", "status"], ["git"], []),
        (["terraform"], ["terraform"], []),
        (["git", "commit", "-m", "run `foocli` && barcli; $(helm ls)"], ["git"], []),
        (["perl", "-pe", "s/foo; barcli/x/"], ["perl"], []),
        (["bash", "deploy.sh", "-c"], [], []),
        (["bash", "-x", "terraform"], [], []),
        (["ssh", "-t", "ann@nas", "terraform plan && foocli x"],
         ["foocli", "ssh", "terraform"], ["nas"]),
        (["sudo", "-u", "ann", "/usr/bin/rsync", "-a", "it's a/", "ann@nas:/b"],
         ["rsync"], ["nas"]),
        (["timeout", "5", "sh", "-ec", "ssh 'gate' uptime"], ["ssh"], ["gate"]),
        (["env", "A=1", "uv", "run", "foocli"], ["foocli", "uv"], []),
        (["bash", "-lc", "ruff check . && uv run pytest -q"], ["pytest", "ruff", "uv"], []),
        (["/bin/zsh", "-l", "-c", "terraform plan"], ["terraform"], []),
        (["bash", "-ce", "terraform plan", "name", "helm"], ["terraform"], []),
        (["C:\\Git\\bin\\bash.exe", "-lc", "helm ls"], ["helm"], []),
        (["powershell.exe", "-NoProfile", "-Command", "helm ls"], ["helm"], []),
        (["pwsh", "-File", "helm"], ["pwsh"], []),
    ]  # fmt: skip


@pytest.mark.parametrize("local", [False, True], ids=["shell", "local_shell_call"])
def test_a_list_is_one_command_unless_it_gives_a_shell_its_script(local: bool) -> None:
    found = found_in_each(*((words, DONE) for words, *_ in LISTS), local=local)
    assert [
        (words, objects(rows, "program"), objects(rows, "connects_to_host"))
        for (words, *_), rows in zip(LISTS, found, strict=True)
    ] == LISTS


def test_words_of_a_list_are_told_as_one_would_type_them_and_quoted_where_they_stand() -> None:
    rows = found(["rsync", "-a", "old notes/a.md", "ann@nas:/srv"])
    told = rows.filter(pl.col("extractor").str.contains("^(?:exec|mentions_path|connects)"))
    assert told.select("object", "quote", "quote_field").sort("object").rows() == [
        ("nas", "nas", "tool_input.command.3"),
        ("rsync -a 'old notes/a.md' ann@nas:/srv", "rsync", "tool_input.command.0"),
    ]
    rows = found(["cat", "--number", "docs/a.md"])
    paths = rows.filter(pl.col("predicate") == "mentions_path")
    assert paths.select("object", "quote_field").rows() == [("docs/a.md", "tool_input.command.2")]


ASKED = "command -v frobnicate && frobnicate run"


RESULTS = [
    (ASKED, FAILED, []),
    (ASKED, "Exit code: 1\nWall time: 0 seconds\nOutput:\n", []),
    (ASKED, "aborted by user", []),
    (ASKED, "Wall time: 0.3 seconds\naborted by user", []),
    ("frobnicate run", "aborted by user after 2.1s", []),
    ("frobnicate run", "aborted", []),
    ("frobnicate run", "exec command rejected by user", []),
    (ASKED, DONE, ["frobnicate"]),
    ("frobnicate run", FAILED, ["frobnicate"]),
    ("frobnicate run", "3 jobs aborted by user request", ["frobnicate"]),
    (f"{ASKED} || true", DONE, []),
    (f"{ASKED}; echo done", DONE, []),
    ("if command -v frobnicate; then frobnicate run; fi", DONE, []),
    ("command -v frobnicate || exit 0\nfrobnicate run", DONE, []),
    ("test -f a.toml || frobnicate init", DONE, []),
    ("[ -f a.toml ] && frobnicate run", FAILED, []),
    ("cd app && frobnicate run", FAILED, ["frobnicate"]),
    ("cd app && frobnicate run || true", DONE, ["frobnicate"]),
    ("cd app && frobnicate run", "Exit code: 1\nbash: line 1: cd: app: Not a directory", []),
    ("cd app && frobnicate run | tail -3; barcli x", DONE, ["barcli", "frobnicate"]),
    ("for each in a b; do frobnicate $each; done", DONE, ["frobnicate"]),
    ("frobnicate check || barcli fix", FAILED, ["frobnicate"]),
    ("if ! frobnicate check; then echo no; fi", DONE, ["frobnicate"]),
    ("test -f a && git push; pip --version", FAILED, ["git", "pip"]),
    ("npm ci && bash -c 'make && frobnicate run'", FAILED, ["make", "npm"]),
    ("npm ci && bash -c 'make && frobnicate run'", DONE, ["frobnicate", "make", "npm"]),
]


def test_an_unknown_program_is_one_that_must_have_run() -> None:
    found = found_in_each(*((["bash", "-lc", script], result) for script, result, _ in RESULTS))
    assert [objects(rows, "program") for rows in found] == [programs for *_, programs in RESULTS]
