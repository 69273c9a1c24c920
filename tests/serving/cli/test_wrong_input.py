"""Wrong input gives one clear line on stderr, and a code that is not 0."""

import socket
from pathlib import Path

import pytest

from tests.serving.conftest import Ask

WRONG: list[tuple[list[str], int, str]] = [
    (["nonsense"], 2, "No such command 'nonsense'"),
    (["searxh", "x"], 2, "'search'"),
    (["status", "--jsno"], 2, "'--json'"),
    (["facts", "--entity", "harbr-backup"], 1, "did you mean harbor-backup?"),
    (["config", "policy.merge_similarty"], 1, "did you mean policy.merge_similarity"),
    (["search", "x", "--as-of", "2026-03-01T10:00:00+99:99"], 2, "is no ISO time"),
    (["search"], 2, "give a query, or --file with one in each line"),
    (["search", "x", "--file", "-"], 2, "give a query, or --file"),
    (["search", "x", "--from", "monday"], 2, "'monday' is no ISO day"),
    (["memory", "0"], 2, "0 is not in the range"),
    (["context", "x", "--budget", "5"], 2, "5 is not in the range"),
    (["learn", " ", "--namespace", "samples"], 1, "the topic says nothing"),
    (["learn", "x" * 201, "--namespace", "samples"], 1, "201 characters; 200 at most"),
    (["schedule", "tea"], 2, "give --every TIME, or --stop"),
    (["schedule", "--every", "3d"], 2, "give a topic"),
    (["schedule", "tea", "--every", "soon"], 1, "'soon' is no time such as"),
    (["research", "--again", "s_none"], 1, "no search that is blocked has the id s_none"),
    (["research", "--run"], 1, "no search provider is set"),
    (["why", "f_nothing"], 1, "no fact, entity, learning, record"),
    (["search", "  "], 1, "the query is empty"),
    (["search", "x", "--limit", "0"], 2, "0 is not in the range"),
    (["search", "x", "--as-of", "yesterday"], 2, "'yesterday' is no ISO time"),
    (["search", "x", "--namespace", "nobody"], 1, "nothing is published for namespace 'nobody'"),
    (["search", "x", "--predicate", "likes"], 1, "no fact has predicate 'likes'; there are: "),
    (["search", "x", "--source", "claude"], 1, "no logs are of kind 'claude'; there are: "),
    (["search", "x", "--category", "bug"], 2, "'bug' is not one of"),
    (["search", "x", "--status", "bad"], 2, "'bad' is not one of"),
    (["facts", "--predicate", "likes"], 1, "no fact has predicate 'likes'; there are: "),
    (["facts", "--entity", "nobody"], 1, "no entity is called 'nobody'"),
    (["facts", "--status", "bad"], 1, "no fact has status 'bad'; there are: active"),
    (["facts", "--min-confidence", "2"], 2, "2.0 is not within 0 and 1"),
    (["search", "x", "--min-confidence", "nan"], 2, "nan is not within 0 and 1"),
    (["search", "\udcff"], 2, "not valid UTF-8"),
    (["facts", "--namespace", "../else"], 2, "'../else' cannot be a namespace"),
    (["show", "f_12345", "--namespace", ""], 2, "'' cannot be a namespace"),
    (["dead-letters", "--namespace", "nobody"], 1, "nothing is there for namespace 'nobody'"),
    (["learnings", "--category", "bug"], 2, "'bug' is not one of"),
    (["entities", "--type", "planet"], 1, "no entity of type 'planet'; there are: "),
    (["show", "f_nothing"], 1, "has the id f_nothing"),
    (["show", "r_"], 1, "too short"),
    (["show", "r_0"], 1, "is the beginning of"),
    (["status", "--namespace", "nobody"], 1, "nothing is there for namespace 'nobody'"),
    (["run", "--source", "/no/such/place"], 1, "no such file or folder"),
    (["run", "--samples", "--namespace", "me"], 2, "--samples goes alone"),
    (["run", "--namespace", "me"], 2, "belong to --source"),
    (["sources", "remove", "/no/such/place"], 1, "not registered"),
    (["backfill", "--from", "2026-03-01", "--to", "2026-02-01"], 2, "is after"),
    (["backfill", "--from", "March", "--to", "2026-02-01"], 2, "'March' is no day"),
    (["backfill", "--from", "2019-01-01", "--to", "2019-01-02"], 1, "no record is of a day"),
    (["config", "no.such"], 1, "no setting is called 'no.such'"),
    (["ui", "--port", "70000"], 2, "70000 is not in the range"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), WRONG, ids=lambda v: str(v)[:40])
def test_wrong_input(ask: Ask, arguments: list[str], code: int, message: str) -> None:
    answer = ask(*arguments)
    assert answer.code == code
    assert message in answer.err
    assert answer.err.startswith("cairn: ")
    assert answer.err.count("\n") == 1
    assert answer.out == ""


def test_an_empty_home_says_what_to_run(run_cairn: Ask, tmp_path: Path) -> None:
    for command in (["search", "x"], ["facts"], ["learnings"], ["entities"], ["show", "f_12345"]):
        answer = run_cairn("--home", tmp_path / "home", *command)
        assert answer.code == 1
        assert "nothing is published yet: run `cairn --home" in answer.err
    answer = run_cairn("--home", tmp_path / "home", "run")
    assert (answer.code, "no source is registered" in answer.err) == (1, True)


def test_a_folder_that_is_no_home_is_left_alone(run_cairn: Ask, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    answer = run_cairn("--home", tmp_path, "status")
    assert answer.code == 1
    assert "is no home of Cairn" in answer.err
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_misspelt_setting_is_named(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_NAMESPCE", "me")
    answer = ask("facts")
    assert answer.code == 1
    assert "CAIRN_NAMESPCE: no such setting (did you mean namespace?)" in answer.err


def test_a_list_in_the_environment_is_json(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_POLICY__TARGET_SYSTEMS", "nas,router")
    answer = ask("facts")
    assert answer.code == 1
    assert answer.err.startswith("cairn: CAIRN_POLICY__TARGET_SYSTEMS: lists and tables are")


def test_a_run_does_not_begin_where_there_is_no_room(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.resources.home.home.LEAST_FREE", 10**18)
    answer = run_cairn("--home", tmp_path / "home", "run", "--samples")
    assert answer.code == 1
    assert answer.err.endswith("make room first\n")


def test_what_the_system_refuses_is_one_line(
    ask: Ask, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(home / "sources.json.1.partial"))

    monkeypatch.setattr("cairn.resources.home.sources.replace_file", full)
    answer = ask("sources", "add", home.parent)
    assert answer.code == 1
    told = f"{home}/sources.json.1.partial: No space left on device: make room, and do it again"
    assert answer.err == f"cairn: {told}\n"


def test_a_folder_without_logs_is_no_source(run_cairn: Ask, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "photo.png").write_bytes(b"PNG")
    answer = run_cairn("--home", tmp_path / "home", "run", "--source", logs)
    assert answer.code == 1
    assert "no log files in it" in answer.err
    assert run_cairn("--home", tmp_path / "home", "sources", "--json").json == {"sources": []}


def test_a_port_in_use_is_refused(ask: Ask) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        answer = ask("ui", "--port", str(other.getsockname()[1]))
    assert answer.code == 1
    assert "is in use" in answer.err


def test_the_home_may_stand_behind_the_command(run_cairn: Ask, home: Path, tmp_path: Path) -> None:
    last = ("--home", home)
    for arguments in (("facts", *last), ("sources", *last), ("keys", "list", *last),
                      ("--home", tmp_path / "other", "facts", *last)):  # fmt: skip
        assert run_cairn(*arguments, "--json").code == 0
    assert not (tmp_path / "other").exists()


def test_a_time_beyond_all_years_is_the_first_or_last_that_counts(ask: Ask) -> None:
    for at, code in (("0001-01-01T00:00:00+05:00", 0), ("9999-12-31T23:59:59-05:00", 0)):
        assert ask("search", "postgres", "--as-of", at).code == code
