"""`cairn lesson`: what ended an error before."""

from cairn.knowledge.llm.fence import CLOSING, NOTICE
from tests.serving.conftest import Ask

ERROR = "ModuleNotFoundError: No module named 'distutils'"


def test_a_lesson_tells_what_ended_an_error_and_how_often(ask: Ask) -> None:
    told = ask("lesson", "--error", ERROR, "--json").json
    assert told["signature"] == "ModuleNotFoundError: No module named {name}"
    (fix,) = told["fixes"]
    assert fix["text"].startswith("In `src/harbor_backup/cli.py`")
    assert (fix["wins"], fix["losses"]) == (1, 0)
    _, notice, opened, *shown, closed = ask("lesson", "--error", ERROR).out.splitlines()
    assert (notice, closed) == (NOTICE, CLOSING)
    assert opened.startswith('<cairn-memory namespace="samples"')
    assert fix["text"][:40] in " ".join(" ".join(shown).split())


def test_nothing_that_is_proven_is_said_and_no_failure(ask: Ask) -> None:
    told = ask("lesson", "--error", "error: the quay has gone")
    assert told.code == 0
    assert "nothing is proven to end it" in " ".join(told.out.split())
    before = ask("lesson", "--error", ERROR, "--as-of", "2020-01-01T00:00:00Z", "--json").json
    assert before["fixes"] == []


def test_an_empty_error_is_refused(ask: Ask) -> None:
    told = ask("lesson", "--error", " ")
    assert told.code == 2
    assert "--error is empty" in told.err
