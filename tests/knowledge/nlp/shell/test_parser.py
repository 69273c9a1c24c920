"""Command lines as a shell reads them."""

import pytest

from cairn.knowledge.nlp.shell.parser import Command, commands, variables


def names(source: str) -> list[str]:
    return [command.name for command in commands(source)]


def texts(command: Command) -> list[str]:
    return [word.text for word in command.words]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("ls -la", ["ls"]),
        ("cat a | grep b && echo c; rm d || true", ["cat", "grep", "echo", "rm", "true"]),
        ("sudo -u deploy FOO=1 timeout -k 3 5 /usr/bin/make test", ["make"]),
        ("env -i A=1 nohup python3 run.py &", ["python3"]),
        ("find . -name '*.gz' -exec gunzip {} \\; | xargs -0 -n 1 rm -f", ["find", "gunzip", "rm"]),
        ("bash -lc 'cd /x && tar xzf a.tgz'", ["bash", "cd", "tar"]),
        ('sh -c "echo \\"$X\\" && unzip f.zip"', ["sh", "echo", "unzip"]),
        ("ssh host 'uptime; df -h'", ["ssh", "uptime", "df"]),
        ("ssh host sudo systemctl restart nginx", ["ssh", "systemctl"]),
        ("ssh host <<'EOF'\nuptime\nEOF\nls", ["ssh", "uptime", "ls"]),
        ("bash <<EOF\nmake\nEOF", ["bash", "make"]),
        ("cat <<'EOF' > notes.txt\nssh root@nowhere\ntar x\nEOF", ["cat"]),
        ("git commit -m \"$(cat <<'EOF'\nfix: tar\n\nssh a@b\nEOF\n)\"", ["git", "cat"]),
        ("for f in *.py; do wc -l $f; done; if [ -f x ]; then cat x; fi", ["wc", "cat"]),
        ("echo $(whoami) `hostname`", ["echo", "whoami", "hostname"]),
        ("docker exec -it -u root web bash -c 'pytest -x'", ["docker", "bash", "pytest"]),
        ("uv run --with x pytest -q && npx vitest", ["uv", "pytest", "npx", "vitest"]),
        ("bash -o pipefail -c 'make' && sh run.sh -c x", ["bash", "make", "sh"]),
        ("su - app -c 'uptime'", ["su", "uptime"]),
        ("command -v ssh", ["command"]),
        ("watch -n 5 'ssh nas uptime'", ["watch", "ssh", "uptime"]),
        ("edit 1:2\nimport os\nrm x\nend_of_edit\nls", ["edit", "ls"]),
        ("A=1", []),
        ("# ssh root@host", []),
        ("", []),
    ],
)
def test_which_programs_run(source: str, expected: list[str]) -> None:
    assert names(source) == expected


def test_words_lose_their_quotes_and_keep_their_places() -> None:
    source = "echo 'é a' \"b $X\" c\\ d"
    (echo,) = commands(source)
    assert texts(echo) == ["echo", "é a", "b $X", "c d"]
    assert [source[word.start : word.end] for word in echo.words[1:]] == [
        "'é a'", '"b $X"', "c\\ d",
    ]  # fmt: skip
    assert [word.dynamic for word in echo.words[1:]] == [False, True, False]


def test_places_within_a_nested_script_count_in_the_whole_line() -> None:
    source = 'cd ü && bash -c "scp \\"a b\\" ann@höst:/srv"'
    scp = commands(source)[-1]
    assert texts(scp) == ["scp", "a b", "ann@höst:/srv"]
    assert source[scp.words[2].start : scp.words[2].end] == "ann@höst:/srv"
    assert scp.via == ("bash",)


def test_what_ssh_runs_knows_its_host() -> None:
    outer, inner = commands("sudo ssh -p 22 root@h 'ls /srv'")
    assert outer.remote is None
    assert inner.remote is not None
    assert inner.remote.text == "root@h"
    assert inner.via == ("sudo", "ssh")


def test_redirections_heredocs_and_pipes_belong_to_their_command() -> None:
    first, second = commands("sort < in.txt | tee out.txt 2>&1 <<EOF\nbody\nEOF")
    assert [word.text for word in first.redirections] == ["in.txt"]
    assert (first.piped, second.piped) == (False, True)
    assert [word.text for word in second.heredocs] == ["body\n"]


@pytest.mark.parametrize("source", ["echo 'open", "((", "if then fi", "a && && b", "x" * 250_000])
def test_what_is_no_command_line_is_read_as_far_as_it_goes(source: str) -> None:
    assert isinstance(commands(source), tuple)


def test_deep_nesting_ends() -> None:
    assert len(commands(" && ".join(["ls"] * 2_000))) == 2_000
    assert names("bash -c " * 40 + "ls")
    assert names("$(" * 500 + "ls" + ")" * 500)


def test_variables_have_the_plain_values_that_stand_in_the_line() -> None:
    source = 'A=10.0.0.3; B="x y" C=$(date); for h in web1 "web 2" $A; do ssh $h; done'
    values = variables(source)
    assert {name: [word.text for word in words] for name, words in values.items()} == {
        "A": ["10.0.0.3"], "B": ["x y"], "h": ["web1", "web 2"],
    }  # fmt: skip
    assert [source[word.start : word.end] for word in values["h"]] == ["web1", '"web 2"']


def test_a_long_script_is_read_in_pieces_its_data_shortened() -> None:
    code = 'def f(x):\n    return {"a": [1, 2]}  # it\'s code; ssh nowhere\n'
    steps = [f"make t{i} && tar czf {i}.tgz d{i} | tee log{i}" for i in range(200)]
    source = (
        f"cd /srv && cat > a.py <<'EOF'\n{code * 200}EOF\n"
        f"python3 -c '{code.replace(chr(39), '') * 200}' | tee out.txt\n"
        "# don't stop here\n" + "\n".join(steps) + "\nssh nas uptime"
    )
    found = commands(source)
    assert [command.name for command in found] == [
        "cd", "cat", "python3", "tee", *["make", "tar", "tee"] * 200, "ssh", "uptime",
    ]  # fmt: skip
    place = found[-2].words[1]
    assert (place.text, source[place.start : place.end]) == ("nas", "nas")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    ["a|", "a | ", "a;", "a && ", ">", "\0", "a?", "'\"", '"$(', "<<A ", "ssh a ", "eval ", "sudo ",
     "cat <<E\n", "for `&>", "eval if (", "bash -c \"", "{a,b}", "\\", "$((", ")é", "é"],
)  # fmt: skip
def test_a_hostile_line_takes_no_hours(unit: str) -> None:
    assert isinstance(commands(unit * (50_000 // len(unit))), tuple)
