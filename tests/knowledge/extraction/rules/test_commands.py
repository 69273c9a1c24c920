"""What commands say: hosts, operations, paths, programs and packages."""

import polars as pl
import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import (
    Line,
    bash,
    call,
    found_in_each,
    output,
    raw_logs,
)


def found(rule: str, command: str) -> list[str]:
    return found_in(rule, bash(command))


def found_in(rule: str, *lines: Line) -> list[str]:
    (rows,) = found_in_each(lines)
    return objects(rule, rows)


def objects(rule: str, rows: pl.DataFrame) -> list[str]:
    rows = rows.filter(rows["extractor"].str.starts_with(f"{rule}@")).sort("quote_start")
    return rows["object"].to_list()


GOLDEN = [
    # command, hosts, operations, paths
    (
        "sshpass -p '[redacted:sshpass]' ssh root@192.168.20.4 'ls -la'",
        ["192.168.20.4"], ["remote_access"], [],
    ),
    ("ssh nas", ["nas"], ["remote_access"], []),
    ("ssh -p 2222 -i ~/.ssh/id_ed25519 ann@web-1.example.org uptime", ["web-1.example.org"],
     ["remote_access"], []),
    ("ssh -J jump.example.org ann@10.0.0.7", ["jump.example.org", "10.0.0.7"],
     ["remote_access"], []),
    ("ssh ssh://ann@[fe80::1]:2222/", ["fe80::1"], ["remote_access"], []),
    ("scp -P 22 report.pdf ann@host7:/srv/in/ && sftp -P 2200 files.example.org",
     ["host7", "files.example.org"], ["file_transfer"], ["report.pdf"]),
    ("rsync -av -e 'ssh -p 22' dist/ [2001:db8::5]:/srv/app", ["2001:db8::5"],
     ["file_transfer"], ["dist"]),
    ("rsync -a rsync://mirror.example.org/pub /srv/pub", ["mirror.example.org"],
     ["file_transfer"], ["/srv/pub"]),
    ("mosh --ssh='ssh -p 9' ann@box", ["box"], ["remote_access"], []),
    ("ssh-copy-id -i key.pub ann@box", ["box"], [], ["key.pub"]),
    ("bash -lc \"ssh gateway 'tar xzf /srv/a.tgz'\"", ["gateway"],
     ["remote_access", "archive_manipulation"], ["/srv/a.tgz"]),
    ('ssh "$USER@$HOST" ls', [], ["remote_access"], []),
    ("ssh -V; ssh-keygen -t ed25519 -C ann@example.org; which ssh; echo ssh root@nowhere",
     [], [], []),
    ("git clone git@example.org:a/b.git && git config user.email ann@example.org",
     ["example.org"], ["version_control"], []),
    ("git remote add origin git@example.org:a/b.git && git push origin HEAD:refs/heads/x", [],
     ["version_control"], []),
    ("ssh YOUR_HOST; scp a.txt root@[REDACTED_IP]:/srv", [],
     ["file_transfer", "remote_access"], ["a.txt"]),
    ("cd app\nssh nas", ["nas"], ["remote_access"], []),
    ("for h in web1 web2; do ssh root@$h uptime; done", ["web1", "web2"], ["remote_access"], []),
    ("HOST=10.0.0.3\nscp a.txt \"root@${HOST}:/srv\" && ssh $OTHER", ["10.0.0.3"],
     ["file_transfer", "remote_access"], ["a.txt"]),
    ("ssh -o ProxyJump=ann@jump box && rsync -e 'ssh -J hop' a/ nas:/b",
     ["jump", "box", "hop", "nas"], ["remote_access", "file_transfer"], []),
    ("cd x\ngit clone https://ann@example.org/a/b && git fetch ssh://example.net/c",
     ["example.net"], ["version_control"], []),
    ("D=/srv; HOST=nas; rsync -a src/ $USER@$HOST:$D", ["nas"], ["file_transfer"], ["src"]),
    ("scp a b:c && scp C:/x/a.txt nas:/srv && ssh -G nas2", ["b", "nas"],
     ["file_transfer", "remote_access"], []),
    ("watch -n 5 'ssh nas uptime'; autossh -M 0 -N ann@relay.example.org",
     ["nas", "relay.example.org"], ["remote_access"], []),
    ("edit 1:2\nimport os\ntar xzf a.tgz\nssh nas\nend_of_edit", [], [], []),
    ("pytest --version && tar --help", [], [], []),
    ("python3 manage.py test && tsc --noEmit && swift test", [],
     ["build", "verification"], ["manage.py"]),
    ("npm install @scope/pkg && uses=actions/checkout@v4", [], ["package_installation"], []),
    ("cat > app.py <<'EOF'\n@app.route('/x')\nssh root@nowhere\nEOF", [], [], ["app.py"]),
    ("npm start --target web && restart target", [], [], []),
    ("tar czf out.tgz src && sha256sum -c out.sum", [],
     ["archive_manipulation", "verification"], ["out.tgz", "out.sum"]),
    ("unzip -t a.zip | head", [], ["archive_manipulation", "verification"], ["a.zip"]),
    ("cargo clippy && python3 -m pytest -q tests/test_a.py && nginx -t", [],
     ["verification"], ["tests/test_a.py"]),
    ("black --check . && git rev-parse --verify HEAD", [],
     ["code_formatting", "verification", "version_control"], []),
    ("mix test 2>&1 | grep -E '(tests|failures)' | tail -5", [], ["verification"], []),
    ("grep -rn 'a/b/c.py' src/app", [], ["search"], []),
    ("make -j4 build && make test", [], ["build", "verification"], []),
    ("docker compose up -d && docker build -t org/app:1 .", [],
     ["container_management", "build"], []),
    ("kubectl -n prod apply -f deploy/app.yaml && systemctl restart app", [],
     ["deployment", "service_management"], []),
    ("sed -i 's/old.py/new.py/g' lib/a.ex:3 > /dev/null", [], [], ["lib/a.ex"]),
    ("awk '{print $1/2}' data/x.csv; date +%Y/%m/%d; echo 1/2 a/b.txt", [], [], ["data/x.csv"]),
    ("curl -s https://example.org/a/b.html -H 'Accept: text/html'", [], ["http_request"], []),
    ("git checkout origin/main -- lib/a.ex && cd /srv/app", [], ["version_control"],
     ["lib/a.ex", "/srv/app"]),
]  # fmt: skip


def test_golden_commands() -> None:
    commands = [command for command, *_ in GOLDEN]
    found = found_in_each(*([bash(command)] for command in commands))
    told = [
        (
            command,
            sorted(objects("connects_to_host", rows)),
            sorted(objects("operation_type", rows)),
            [path for path in objects("mentions_path", rows) if "id_ed25519" not in path],
        )
        for command, rows in zip(commands, found, strict=True)
    ]
    assert told == [
        (command, sorted(hosts), sorted(operations), paths)
        for command, hosts, operations, paths in GOLDEN
    ]


def test_the_password_example_gives_the_tool_the_command_and_the_host_and_nothing_false() -> None:
    command = "sshpass -p '[redacted:sshpass]' ssh root@192.168.20.4 'ls -la'"
    rows = candidates(raw_logs([bash(command)]), Policy()).candidates
    facts = rows.filter(rows["kind"] == "fact")
    assert set(facts.select("predicate", "object").rows()) == {
        ("used_tool", "Bash"),
        ("executed_command", command),
        ("connects_to_host", "192.168.20.4"),
        ("operation_type", "remote_access"),
    }
    assert set(rows.filter(rows["kind"] == "entity").select("entity_type", "object").rows()) == {
        ("project", "harbour"), ("tool", "Bash"), ("tool", "ssh"), ("host", "192.168.20.4"),
    }  # fmt: skip


PACKAGES = [
        ("pip install -r base.txt 'httpx[http2]>=0.27' ./local -e .", ["httpx"]),
        ("python3 -m pip install --upgrade pip==24.0", ["pip"]),
        ("uv add --dev ruff && uv pip install polars", ["ruff", "polars"]),
        ("npm i -D @types/node@20 vite", ["@types/node", "vite"]),
        ("sudo apt-get install -y ripgrep=14 ./x.deb", ["ripgrep"]),
        ("cargo add serde --features derive", ["serde"]),
        ("pip install git+https://example.org/a/b.git && npm ci && git add README.md", []),
        ("pip download requests && pip\tinstall\thttpx", ["requests", "httpx"]),
        ("pip install 'tomli; python_version < \"3.11\"' && brew install --cask docker",
         ["tomli", "docker"]),
        ("go get example.org/a/cobra@v1.8.0 && go install ./... && composer require acme/log:^2",
         ["example.org/a/cobra", "acme/log"]),
    ]  # fmt: skip


def test_packages_that_are_installed_by_name() -> None:
    found = found_in_each(*([bash(command)] for command, _ in PACKAGES))
    assert [objects("package", rows) for rows in found] == [named for _, named in PACKAGES]


def test_programs_are_tools_but_builtins_scripts_and_the_everyday_are_not() -> None:
    command = "cd x && ls | head; go() { :; }; go; ./run.sh; deploy.sh; terraform plan; $CMD x"
    assert found("program", command) == ["terraform"]


def test_code_that_a_tool_of_the_shell_was_given_runs_no_program() -> None:
    command = "edit 3:4\nvalue = len(rows)\nprint value\nend_of_edit"
    assert found_in("program", bash(command), output("[File: a.py]")) == ["edit"]
    assert found_in("program", bash("total = 3"), output("3")) == []


PATCH = """*** Begin Patch
*** Update File: notes.md
@@ what to do
-and the cat
+make sure that `terraform plan` is run, see (below) & don't panic
 the rest of it
 use kubectl or helm to see more; for example this
*** End Patch"""
LONG = "\n".join(PATCH.splitlines()[:-1] * 60)


@pytest.mark.parametrize(
    "script",
    [
        f"apply_patch <<'PATCH'\n{PATCH}\nPATCH",
        f"apply_patch <<'PATCH'\n{PATCH}",
        f"cd app && apply_patch <<PATCH\n{PATCH}\n  PATCH\n",
        f"apply_patch <<'PATCH'\n{LONG}",
        f"apply_patch <<-'PATCH'\n{LONG}\n\tPATCH",
        f"cat <<'EOF' | apply_patch\n{LONG}\nEOF",
        f"cat > a.md <<A; apply_patch <<B\nhelm and terraform\nA\n{LONG}\nB",
        f'apply_patch "{PATCH}"',
        PATCH,
        f"apply_patch\n{LONG}",
    ],
    ids=lambda script: f"{script[:24]} {len(script)}",
)
def test_a_patch_runs_no_program_but_the_one_that_applies_it(script: str) -> None:
    for given in (bash(script), call("shell", command=["bash", "-lc", script])):
        done = output("Success. Updated the following files:")
        for rows in found_in_each([given], [given, done]):
            assert set(objects("program", rows)) <= {"apply_patch"}


def test_what_stands_behind_a_heredoc_is_run() -> None:
    for mark in ("<<'EOF'", '<<"EOF"', "<<-EOF", "<<\\EOF"):
        command = f"cat > a.md {mark}\nit's (not\nEOF\nterraform plan && echo $((1 << 3))\nhelm ls"
        assert found("program", command) == ["terraform", "helm"]


PROGRAMS = [
    ("foocli sync; barcli x", "done", ["foocli", "barcli"]),
    ("foocli sync", None, []),
    ("terraform plan", None, ["terraform"]),
    ("terraform plan", "bash: line 1: terraform: command not found", []),
    ("terraform plan && foocli x", "zsh: command not found: terraform", ["foocli"]),
    ("foocli sync", "Exit code 127\n", []),
    ("foocli sync", "Process exited with code 126", []),
    ("foocli sync", "Exit code 3\nthe server is down", ["foocli"]),
    ("foocli sync", "'foocli' is not recognized as an internal or external command", []),
    ("foocli sync", "fish: Unknown command: foocli", []),
    ("foocli sync", "The user doesn't want to proceed with this tool use.", []),
    ("please look at the tests", "bash: please: command not found", []),
    ("from users import (name\nselect name", "done", []),
    ('git commit -m "it runs `foocli sync`, see `terraform`"', "done", ["git"]),
    ("echo $(terraform output) && foocli 'a", "done", ["terraform"]),
]


def test_a_program_is_one_that_was_seen_to_be_one() -> None:
    found = found_in_each(
        *([bash(command), *([output(result)] if result else [])] for command, result, _ in PROGRAMS)
    )
    assert [objects("program", rows) for rows in found] == [programs for *_, programs in PROGRAMS]


def test_a_result_speaks_of_its_own_call() -> None:
    one, two = bash("foocli sync"), bash("barcli sync")
    told = [output("bash: foocli: command not found", call_id="b"), output("done", call_id="a")]
    assert found_in("program", {**one, "call_id": "a"}, {**two, "call_id": "b"}, *told) == [
        "foocli", "barcli",
    ]  # fmt: skip
    assert found_in("program", {**one, "call_id": "b"}, {**two, "call_id": "a"}, *told) == [
        "barcli",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (call("shell", command=["bash", "-lc", "ssh nas ls"]), "tool_input.command.2"),
        (call("exec_command", cmd="ssh nas ls"), "tool_input.cmd"),
        (call("run_shell_command", command="ssh nas ls"), "tool_input.command"),
    ],
)
def test_commands_of_other_agents_are_read_too(line: dict[str, str], field: str) -> None:
    rows = candidates(raw_logs([line]), Policy()).candidates
    hosts = rows.filter(rows["predicate"] == "connects_to_host")
    assert hosts.select("object", "quote_field").rows() == [("nas", field)]


def test_a_program_with_its_arguments_is_a_command_too() -> None:
    rows = candidates(raw_logs([call("shell", command=["git", "status"])]), Policy()).candidates
    ran = rows.filter(rows["predicate"] == "executed_command")
    assert ran.select("object", "quote", "quote_field").rows() == [
        ("git status", "git", "tool_input.command.0")
    ]


def test_long_commands_are_cut_at_500_characters_with_white_space_collapsed() -> None:
    (text,) = found("executed_command", "  echo   a\n  " + "b" * 600)
    assert text == "echo a " + "b" * 493


def test_the_same_host_twice_in_a_command_is_said_once() -> None:
    assert found("connects_to_host", "ssh nas ls; ssh nas df") == ["nas"]
