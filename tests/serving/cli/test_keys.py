"""`cairn keys`."""

from pathlib import Path

from tests.serving.conftest import Ask


def test_a_key_is_shown_once(run_cairn: Ask, tmp_path: Path) -> None:
    def keys(*arguments: str) -> str:
        answer = run_cairn("--home", tmp_path / "home", "keys", *arguments)
        assert answer.code == 0, answer.err
        return answer.out

    assert "There is no key" in keys("list")
    secret = keys("add", "--namespace", "work", "--namespace", "home", "--name", "bot").strip()
    assert secret.startswith("cairn_")
    assert len(secret.split()) == 1
    listed = keys("list")
    assert all(word in listed for word in ("bot", "home, work", "no"))
    assert secret not in listed
    other = run_cairn(
        "--home", tmp_path / "home", "keys", "add", "--namespace", "x", "--read-only", "--json"
    ).json
    assert other["key"] != secret
    assert other["read_only"]
    told = run_cairn("--home", tmp_path / "home", "keys", "list", "--json").json["keys"]
    assert [key["namespaces"] for key in told] == [["home", "work"], ["x"]]
    assert all("sha256" not in key and "key" not in key for key in told)
    keys("remove", other["key_id"])
    assert other["key_id"] not in keys("list")


def test_a_wrong_key_command_is_one_line(run_cairn: Ask, tmp_path: Path) -> None:
    for arguments, code, message in (
        (["add"], 2, "--namespace"),
        (["add", "--namespace", "../else"], 2, "cannot be a namespace"),
        (["remove", "k_0"], 1, "no key has the id k_0"),
    ):
        answer = run_cairn("--home", tmp_path / "home", "keys", *arguments)
        assert (answer.code, answer.out) == (code, "")
        assert message in answer.err
        assert answer.err.count("\n") == 1
