"""The log file: whole lines of several processes, kept for some days, without a text."""

import json
import logging
import subprocess
import sys
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cairn.knowledge.schema.identity import digest
from cairn.resources.home.home import Home
from cairn.resources.home.settings import ConfigError, Settings
from cairn.resources.telemetry import log_file
from cairn.resources.telemetry.log_file import DailyLog
from cairn.resources.telemetry.spans import STAGE, happened, span
from cairn.resources.telemetry.start import start, stop
from tests.places import ROOT

logger = logging.getLogger("cairn.tests.log_file")

WRITER = """
import logging, sys
from pathlib import Path
from cairn.resources.telemetry.log_file import DailyLog
logger = logging.getLogger("cairn.tests")
logger.addHandler(DailyLog(Path(sys.argv[1]), 14, "test"))
logger.setLevel(logging.INFO)
for number in range(400):
    logger.info("line %d", number, extra={"fields": {"filler": "x" * 3000}})
"""


@pytest.fixture(autouse=True)
def ended() -> Generator[None]:
    yield
    stop()


def lines(folder: Path) -> list[dict[str, Any]]:
    found = [file.read_text().splitlines() for file in sorted(folder.glob("*.jsonl"))]
    return [json.loads(line) for some in found for line in some]


def test_several_processes_write_whole_lines(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], cwd=ROOT) for _ in range(4)
    ]
    assert [writer.wait(120) for writer in writers] == [0] * 4
    found = lines(folder)
    assert len(found) == 1600
    assert {line["pid"] for line in found} == {writer.pid for writer in writers}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [0o600]


def test_a_day_has_a_file_and_old_ones_go(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    for days in (1, 2, 3, 40):
        (tmp_path / f"{now - timedelta(days=days):%Y-%m-%d}.jsonl").touch()
    (tmp_path / "notes.jsonl").touch()
    log = DailyLog(tmp_path, 3, "test")
    log.handle(logger.makeRecord(logger.name, logging.INFO, __file__, 1, "began", (), None))
    log.close()
    kept = [f"{now - timedelta(days=days):%Y-%m-%d}.jsonl" for days in (2, 1, 0)]
    assert sorted(file.name for file in tmp_path.iterdir()) == [*kept, "notes.jsonl"]


def test_a_file_that_is_taken_away_is_begun_anew(tmp_path: Path) -> None:
    start(Home(tmp_path), Settings(), "test")
    happened("one")
    (file,) = (tmp_path / "logs").iterdir()
    file.unlink()
    happened("two")
    assert [line["message"] for line in lines(tmp_path / "logs")] == ["two"]


def test_what_cannot_be_written_keeps_nobody_from_anything(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("in its way")
    start(Home(tmp_path), Settings(), "test")
    with span(STAGE, "ada", stage="facts"):
        logger.warning("something")
    assert (tmp_path / "logs").read_text() == "in its way"


def test_a_day_that_goes_round_in_circles_fills_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "MOST_BYTES", 10_000)
    start(Home(tmp_path), Settings(), "test")
    for _ in range(1000):
        happened("again")
    (file,) = (tmp_path / "logs").iterdir()
    assert file.stat().st_size < 10_500


def test_no_text_that_was_put_into_a_message_is_in_it(tmp_path: Path) -> None:
    start(Home(tmp_path), Settings(), "test")
    secret = "hunter2 is the word of ada"
    try:
        int(secret)
    except ValueError as error:
        logger.warning("%s of %s: %s, try %d of %.4f", secret, Path(secret), error, 2, 0.5)
        logger.exception("it broke")
    logger.warning("a setting is called %s now", secret)
    written = "".join(file.read_text() for file in (tmp_path / "logs").iterdir())
    assert "hunter2" not in written
    first, second, third = lines(tmp_path / "logs")
    assert first["message"] == "… of …: ValueError, try 2 of 0.5"
    assert first["error"] == second["error"] == "ValueError"
    assert first["level"] == "warning"
    assert first["place"].startswith("test_log_file.py:")
    assert third["message"] == "a setting is called … now"


def test_work_is_told_with_its_fields_and_a_namespace_by_digest(tmp_path: Path) -> None:
    start(Home(tmp_path), Settings(), "test")
    with pytest.raises(KeyError), span(STAGE, "ada", stage="facts", units=3):
        raise KeyError("ada")
    with span(STAGE, "ada", stage="idle"):
        pass
    (line,) = lines(tmp_path / "logs")
    assert line["message"] == "stage facts failed"
    assert line["namespace_digest"] == digest("ada")
    assert (line["error"], line["outcome"], line["units"]) == ("KeyError", "failed", 3)
    assert (line["command"], line["level"], line["logger"]) == ("test", "info", "cairn.work")
    assert datetime.fromisoformat(line["time"]).utcoffset() == timedelta(0)
    assert line["seconds"] >= 0
    assert "ada" not in json.dumps(line).replace(digest("ada"), "")


def test_it_may_lie_elsewhere_or_be_switched_off(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    start(home, Settings(log_folder=tmp_path / "elsewhere"), "test")
    happened("one")
    start(home, Settings(log_folder=Path("off")), "test")
    happened("two")
    assert [line["message"] for line in lines(tmp_path / "elsewhere")] == ["one"]
    assert not home.root.exists()
    for within in ("warehouse", ".", "logs/../inbox", home.root / "other"):
        with pytest.raises(ConfigError, match="is in the home"):
            start(home, Settings(log_folder=Path(within)), "test")


def test_a_span_that_nobody_hears_of_is_none() -> None:
    assert span(STAGE, "ada", stage="facts") is span(STAGE)
    assert not span(STAGE).is_heard


def test_traces_without_what_sends_them_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    settings = Settings(telemetry_url="http://127.0.0.1:4318")
    with pytest.raises(ConfigError, match=r"pip install 'cairn-logs\[telemetry\]'"):
        start(Home(tmp_path), settings, "test")
