"""`cairn doctor`: it looks at all there is, whatever the settings are."""

import os
from pathlib import Path

import pytest

from cairn.resources.context import open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.sources import add_source
from tests.journeys.running import follow
from tests.resources.rerankers.tiny import tiny_cross_encoder
from tests.serving.conftest import Ask

UNREADABLE = (
    b"[policy\nx=", b"\xff\xfe\x00", b"model = ", b"=" * 99, b'home = "a"', b"home = 5",
    b"namespace = 5", b'namespace = "../x"', b"policy = 5", b"[policy]\nsearch_limit = []",
    b"nonsense = 1", b'timezone = "Mars"', b'qdrant_url = "x"', b"x = " + b"[" * 50_000,
    b"storage_options = [1]", b"a = 1\na = 2", b"\x00",
)  # fmt: skip


@pytest.mark.parametrize("content", [*UNREADABLE, None], ids=lambda content: str(content)[:20])
def test_doctor_looks_at_all_without_settings(
    run_cairn: Ask, tmp_path: Path, content: bytes | None
) -> None:
    home = open_home(tmp_path / "home")
    (tmp_path / "logs").mkdir()
    add_source(home, tmp_path / "logs", "me")
    place = home.root / "cairn.toml"
    place.write_bytes(content) if content is not None else os.mkfifo(place)
    answer = run_cairn("--home", home.root, "doctor", "--json")
    levels = {check["check"]: check["level"] for check in answer.json["checks"]}
    assert (answer.code, levels["settings"]) == (1, "error")
    assert [name for name, level in levels.items() if level == "error"] == ["settings"]
    assert levels["damage"] == levels["sources"] == levels["embedder"] == "ok"
    other = run_cairn("--home", home.root, "status")
    assert (other.code, "cairn.toml" in other.err) == (1, True)


def test_the_home_that_settings_name_is_looked_at_where_the_rest_is_wrong(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = open_home(tmp_path / "own")
    (tmp_path / "cairn.toml").write_text(f'home = "{home.root}"\nnonsense = 1\n')
    monkeypatch.chdir(tmp_path)
    answer = run_cairn("doctor", "--json")
    assert answer.json["home"] == str(home.root)
    assert "nonsense" in next(c["found"] for c in answer.json["checks"] if c["check"] == "settings")


def test_what_is_advised_names_the_home_that_was_named(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = open_home(tmp_path / "Ida's  home").root
    monkeypatch.setenv("CAIRN_HOME", str(root))
    assert "`cairn run --samples`" in run_cairn("doctor").out
    for arguments in (("--home", root, "doctor"), ("doctor", "--home", root)):
        out = run_cairn(*arguments).out
        assert f"`cairn --home '{tmp_path}/Ida'\"'\"'s  home' run --samples`" in out
        assert "`cairn run" not in out
    for arguments in (("search", "tea"), ("status",), ("sources",)):
        answer = run_cairn("--home", root, *arguments)
        assert "`cairn --home " in answer.err + answer.out


def test_doctor_tells_how_long_a_reranker_takes_or_why_it_cannot_be_used(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = open_home(tmp_path / "home"), tiny_cross_encoder(tmp_path / "model")

    def told(setting: str, seconds: str = "60") -> tuple[str, str]:
        monkeypatch.setenv("CAIRN_POLICY__RERANKER", setting)
        monkeypatch.setenv("CAIRN_RERANKER_SECONDS", seconds)
        checks = run_cairn("--home", home.root, "doctor", "--json").json["checks"]
        (found,) = [each for each in checks if each["check"] == "reranker"]
        return found["level"], found["found"]

    level, found = told(f"onnx:{folder}")
    assert (level, "s for 50 texts" in found) == ("ok", True)
    assert told(f"onnx:{folder}", "1e-9")[0] == "warning"
    assert told("onnx:/nowhere") == (
        "error", "/nowhere has no model.onnx: is it a cross-encoder as ONNX?",
    )  # fmt: skip


def test_it_says_whether_what_homes_share_is_there_and_has_all(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = open_home(tmp_path / "home").root
    logs = tmp_path / "logs"
    logs.mkdir()
    monkeypatch.setenv("CAIRN_WAREHOUSE", str(tmp_path / "store"))

    def told() -> list[str]:
        asked = run_cairn("--home", home, "doctor", "--json").json["checks"]
        return [f"{one['level']}: {one['found']}" for one in asked if one["check"] == "sharing"]

    assert told() == [f"ok: {tmp_path}/store: 0 namespaces, all pushed"]
    assert run_cairn("--home", home, "learn", "Rust releases").code == 0
    assert told() == ["warning: not pushed yet: default"]
    shown = f"Shared {tmp_path}/store: not pushed yet: default"
    assert shown in " ".join(run_cairn("--home", home, "status").out.split())
    (logs / "a.jsonl").write_text('{"role": "user", "content": "I prefer tea.", "id": "1"}\n')
    add_source(open_home(home), logs, "default")
    state = open_state(home)
    with state.of("default").leased():
        follow(state)
    assert told() == [f"ok: {tmp_path}/store: 1 namespaces, all pushed"]
    # A home without sources of its own that has what another one read misses none.
    other = open_home(tmp_path / "other").root
    assert run_cairn("--home", other, "status").code == 0
    assert run_cairn("--home", other, "search", "tea", "--namespace", "default").code == 0
    assert run_cairn("--home", other, "doctor").code == 0
    monkeypatch.setenv("CAIRN_WAREHOUSE", "s3://bucket/x")
    monkeypatch.setenv("CAIRN_STORAGE_OPTIONS", '{"nonsense": "1"}')
    assert "s3://bucket/x, which homes share, cannot be used" in told()[0]
