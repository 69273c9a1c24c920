"""Commands that are told: a shell gives the program what was meant, whatever a path holds."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from cairn.resources.home.advice import command, for_home

NAMES = (
    "plain", "two words", "two  blanks", "Ida's", 'say "hi"', "a & b", "$HOME", "$(id)", "`id`",
    "a;b", "a|b", "back\\slash", "*", "?", "[a]", "{a,b}", "~", "-rf", "#x", "!!", "<in>",
    "tab\tin", "new\nline", "naïve", "日本", "a=b", "%s", "(a)", "'", "''", ":smile:", "end\\",
)  # fmt: skip
SHOW = "import json, sys; print(json.dumps(sys.argv[1:]))"


@pytest.mark.parametrize("home", [None, Path("/x/Ida's home & $HOME")])
def test_a_shell_takes_each_word_as_it_was_meant(home: Path | None) -> None:
    words = [f"/logs/{name}" for name in NAMES]
    told = for_home(command("cairn", "run", *words), home)
    named = [] if home is None else ["--home", str(home)]
    script = f'cairn() {{ python3 -c {shlex.quote(SHOW)} "$@"; }}\n{told[1:-1]}'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [*named, "run", *words]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("`cairn run` makes it again", "`cairn --home /h run` makes it again"),
        ("`cairn keys add`, `cairn run`", "`cairn --home /h keys add`, `cairn --home /h run`"),
        ("use `cairn --home NEW run`", "use `cairn --home NEW run`"),
        ("cairn run is said, not told", "cairn run is said, not told"),
        ("`chmod 600 /h/keys.json`", "`chmod 600 /h/keys.json`"),
        ("`cairnish x`", "`cairnish x`"),
    ],
)  # fmt: skip
def test_our_commands_name_the_home(text: str, told: str) -> None:
    assert for_home(text, Path("/h")) == told
    assert for_home(text, None) == text
