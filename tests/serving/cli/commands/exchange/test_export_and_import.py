"""`cairn export` and `cairn import`, as a person types them."""

import json
from pathlib import Path

import pytest

from tests.serving.conftest import Ask


def test_what_is_exported_is_imported_once(ask: Ask, run_cairn: Ask, tmp_path: Path) -> None:
    folder, home = tmp_path / "out", tmp_path / "home"
    told = ask("export", "--to", folder, "--namespace", "samples")
    assert told.code == 0, told.err
    assert f"cairn import {folder}" in told.out
    done = ask("export", "--to", folder, "--replace", "--json").json
    rows = {one["file"]: one["rows"] for one in done["files"]}
    assert rows["records.jsonl"] > rows["episodes.jsonl"] > 0

    tried = run_cairn("--home", home, "import", folder, "--dry-run", "--json").json
    assert (tried["records"], tried["known"]) == (rows["records.jsonl"], 0)
    assert not list((home / "inbox").iterdir())
    first = run_cairn("--home", home, "import", folder)
    assert f"{rows['records.jsonl']:,} records" in first.out
    assert "cairn" in first.out.splitlines()[-1]
    again = run_cairn("--home", home, "import", folder, "--json").json
    assert (again["there"], again["namespace"]) == (True, "samples")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["export", "--to", "OUT"], "nothing is published"),
        (["import", "OUT"], "no such file or folder"),
        (["import", "."], "no manifest.json"),
        (["export"], "--to FOLDER"),
        (["export", "--to", ""], "the path is empty"),
        (["run", "--source", ""], "the path is empty"),
        (["sources", "add", ""], "the path is empty"),
        (["export", "--to", "OUT", "--share"], "--project NAME"),
    ],
)
def test_an_error_says_what_is_wrong(
    given: list[str], why: str, run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.txt").write_text("mine")
    told = run_cairn("--home", tmp_path / "home", *given)
    assert told.code in (1, 2), told.out
    assert why in told.err
    assert (tmp_path / "there.txt").read_text() == "mine"


def test_a_file_of_notes_is_shown_before_it_is_taken(run_cairn: Ask, tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "lantern" / "CLAUDE.md"
    file.parent.mkdir()
    file.write_text(
        "---\ntitle: x\n---\n# Git\n\n- Never push to main.\n- Squash commits.\n"
        "- [ ] Sign the key file,\n  then send it round.\n\n```html\n<!-- open\n```\n"
        "\n| port | is |\n| --- | --- |\n| 8080 | taken |\n\n    indented code\n\nWhat is this?\n"
        "<!-- Not for readers\nof this file. -->\n\nSign all tags.\n"
    )
    tried = run_cairn("--home", home, "import", file, "--dry-run", "--namespace", "me")
    assert "Never push to main." in tried.out
    assert not list((home / "inbox").iterdir())
    done = run_cairn("--home", home, "import", file, "--namespace", "me", "--json").json
    assert (done["kind"], done["memories"], done["new"]) == ("notes", 3, 3)
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    (tmp_path / "m.json").write_text(json.dumps({"results": [{"memory": f"The key is {secret}."}]}))
    shown = run_cairn("--home", home, "import", tmp_path / "m.json", "--dry-run")
    assert (secret in shown.out, "1 secret found" in shown.out) == (False, True)
    (tmp_path / "odd.json").write_text("{}")
    odd = run_cairn("--home", home, "import", tmp_path / "odd.json", "--namespace", "me")
    assert (odd.code, "no known kind" in odd.err) == (1, True)
    file.write_text("")
    empty = run_cairn("--home", home, "import", file, "--namespace", "me")
    assert (empty.code, empty.out, "holds nothing" in empty.err) == (1, "", True)
    liked = run_cairn("--home", home, "like", "--namespace", "me", "--", "-1")
    assert "unlike -- -1`" in liked.out, "it can be typed"


def test_a_pack_is_shown_first_and_taken_in_by_a_colleague(
    ask: Ask, run_cairn: Ask, tmp_path: Path
) -> None:
    file, home = tmp_path / "pack.json", tmp_path / "home"
    asked = ("export", "--project", "harbor-backup", "--share", "--to", file)
    shown = ask(*asked, "--dry-run")
    assert "names a host" in shown.out
    assert "uv run pytest" in shown.out
    refused = ask(*asked)
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert not file.exists()
    told = ask(*asked, "--yes", "--json").json
    assert told["left_out"]["a host"] > 0
    text = file.read_text()
    kinds = {one["text"]: one["kind"] for one in json.loads(text)["statements"]}
    assert kinds["We do not use zstd for new archives any more."] == "convention"
    assert {*kinds.values()} >= {"practice", "fact", "lesson"}
    for word in ("/home/", "mira", "192.168", "nas ", "example.net", "@"):
        assert word not in text.casefold(), word
    taken = run_cairn("--home", home, "import", file, "--namespace", "me", "--json").json
    assert (taken["kind"], taken["label"]) == ("pack", "pack of harbor-backup")
    assert taken["new"] == len(told["statements"])
    assert ask("export", "--project", "nobody", "--share", "--dry-run").code == 1
    assert ask("export", "--project", "harbor-backup").code == 2
