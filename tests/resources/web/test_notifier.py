"""Where people are told: whose address it is, and what no log may hold."""

import json
import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from pytest_httpserver import HTTPServer

from cairn.resources.home.home import open_home
from cairn.resources.home.settings import ConfigError, Settings, explain, load_settings
from cairn.resources.web.notifier import (
    OutgoingMessage,
    forget_told,
    places,
    send,
    told_in,
    unreadable,
)

AT = datetime(2026, 3, 5, tzinfo=UTC)
TOLD = OutgoingMessage(
    "r_1", "r_0", "team", "Learned 1 new fact about <b>bees</b>", ("Bees & wasps.",), None, AT
)


def settings(notify: str) -> Settings:
    return Settings(notify=SecretStr(notify))


def test_an_address_is_for_one_namespace_and_a_star_for_all_others() -> None:
    given = settings("json://a team=json://b *=json://c team=json://d?x=y")
    assert places(given, "default") == ["json://a"]
    assert places(given, "team") == ["json://b", "json://d?x=y"]
    assert places(given, "other") == ["json://c"]
    assert places(settings("json://a?format=text"), "team") == []
    assert places(Settings(), "default") == []
    mine = Settings(namespace="mira", notify=SecretStr("json://a"))
    assert (places(mine, "mira"), places(mine, "default")) == (["json://a"], [])


@pytest.mark.parametrize("wrong", ["slack", "team=", "json://a me@example.org", "a b=json://x"])
def test_what_is_no_address_is_refused_and_not_shown(
    wrong: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAIRN_NOTIFY", wrong)
    with pytest.raises(ConfigError, match="an address of Apprise is scheme") as refused:
        load_settings()
    assert wrong not in str(refused.value)


def test_addresses_are_shown_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAIRN_NOTIFY", "mailto://me:topsecret@example.org team=nosuch://topsecret")
    assert "topsecret" not in str([*explain(), load_settings()])
    assert unreadable(load_settings()) == ["team=nosuch://…"]


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_what_went_out_is_plain_text_and_what_failed_is_told_without_the_address(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = open_home(tmp_path / "home")
    with caplog.at_level(logging.DEBUG), HTTPServer(threaded=True) as server:
        server.expect_request("/ok").respond_with_data("")
        server.expect_request("/moved").respond_with_data(
            "", status=302, headers={"Location": "/ok"}
        )
        there = f"json://me:topsecret@{server.host}:{server.port}"
        assert send(home, settings(f"team={there}/ok"), TOLD).to == "json"
        one = send(home, settings(f"team={there}/ok team={there}/gone"), TOLD)
        assert (one.to, one.error) == ("json; not json", None)
        assert send(home, settings(f"team={there}/moved"), TOLD).error == "json took nothing"
        requests = [request for request, _ in server.log]
    assert [request.path for request in requests] == ["/ok", "/ok", "/gone", "/moved"]
    body = json.loads(requests[0].get_data())
    assert (body["title"], body["message"]) == (TOLD.title, "- Bees & wasps.")
    assert "topsecret" not in caplog.text
    assert not told_in(home, "team").exists()


def test_text_of_the_web_calls_nobody_and_moves_no_terminal(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    text = "bees\r\nBcc: all@example.org\n\n@everyone <!here> <@12> \x1b[2J\x9b2J \u202egnp.exe"
    hostile = TOLD._replace(title=text, statements=(text, "bees " * 999), image_url="http://a/\x1b")
    send(home, Settings(), hostile)
    (line,) = map(json.loads, told_in(home, "team").read_text().splitlines())
    assert line["title"] == (
        "bees Bcc: all@example.org @\u200beveryone <\u200b!here> <\u200b@\u200b12> [2J 2J gnp.exe"
    )
    assert line["statements"][0] == line["title"]
    assert len(line["statements"][1]) == 400
    assert line["image_url"] is None
    picture = TOLD._replace(image_url="https://example.org/@everyone/a.png").plain().image_url
    assert picture == "https://example.org/%40everyone/a.png"


def test_the_file_is_of_one_namespace_and_forgets_by_record(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    file = told_in(home, "team")
    for record in ("r_1", "r_2", "r_3"):
        begun = f"{record}_begun"
        assert send(home, Settings(), TOLD._replace(record_id=record, begun_id=begun)).to == "file"
        if record == "r_2":
            file.write_bytes(file.read_bytes() + b'{"title": "Learned 2 new fa')
    send(home, Settings(), TOLD._replace(namespace="other"))
    forget_told(home, "team", {"r_1", "r_3_begun"})
    (left,) = map(json.loads, file.read_text().splitlines())
    assert left["record_id"] == "r_2", "and what a crash left of a line went too"
    forget_told(home, "team", None)
    assert not told_in(home, "team").exists()
    assert told_in(home, "other").exists()
