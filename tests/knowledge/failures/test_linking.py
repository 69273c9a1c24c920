"""What became of an error: fixed, a flake, bypassed, undone or open; with a link or without."""

import pytest

from cairn.knowledge.failures.stages import failures

PROJECT = "/home/ada/shop-api"
CODE = f"{PROJECT}/shop/orders.py"
CHECK = "pytest tests/test_orders.py"
ERROR = (
    "Exit code 1\n    def test_total():\n>       total([])\n"
    "E       shop.errors.OrderError: no currency column in order_total\n\n"
    "shop/orders.py:9: OrderError\n1 failed in 0.12s"
)
OTHER = "E       shop.errors.OrderError: no country given for ship_order\n1 failed in 0.12s"
RED = ("run", CHECK, ERROR, "error")
GREEN = ("run", CHECK, "4 passed in 0.11s")
EDIT = ("edit", CODE, "return order_total(rows)", "return order_total(rows, currency)")
WHY = ("agent", "order_total() expects a currency column, because the schema is missing it.")


def rows(session, *events):
    return failures(session(("human", "The checks must pass."), *events)).sort("seq").to_dicts()


def test_the_last_change_that_shares_a_name_with_the_error_is_its_fix(session):
    unrelated = ("edit", f"{PROJECT}/README.md", "old words", "new words")
    (row,) = rows(session, RED, WHY, EDIT, unrelated, GREEN)
    assert (row["outcome"], row["fix_kind"], row["tool_family"]) == ("fixed", "edit", "pytest")
    assert row["fix"] == (
        "In `shop/orders.py`: `return order_total(rows)` became"
        " `return order_total(rows, currency)`."
    )
    assert row["cause"].startswith("Order_total() expects") or row["cause"].startswith("order_to")
    assert row["passed_record_id"] is not None
    assert len(row["fix_record_ids"]) == 1


@pytest.mark.parametrize(
    ("events", "outcome"),
    [
        ((RED, GREEN), "flake"),
        ((RED, ("edit", f"{PROJECT}/docs/tour.md", "quay", "berth"), GREEN), "fixed"),
        ((RED, ("run", "pip install tidewheel", "Successfully installed"), GREEN), "fixed"),
        ((RED, EDIT), "open"),
        ((RED, EDIT, RED), "open"),
        ((RED, EDIT, GREEN, ("human", "No, revert that, the caller is wrong.")), "undone"),
        ((RED, EDIT, GREEN, ("run", "git checkout -- shop/orders.py", "")), "undone"),
        ((RED, EDIT, GREEN, ("edit", CODE, EDIT[3], EDIT[2])), "undone"),
        ((RED, EDIT, GREEN, ("agent", "That fix was wrong: the callers pass it.")), "undone"),
        ((RED, ("run", f"{CHECK} || true", "done")), "bypassed"),
        ((RED, ("run", f"{CHECK} --deselect tests/test_orders.py::test_total", "3 passed")),
         "bypassed"),
        ((RED, ("edit", f"{PROJECT}/tests/test_orders.py", "assert order_total([]) == 0",
                "assert order_total([]) == 7"), GREEN), "bypassed"),
        ((RED, ("edit", f"{PROJECT}/tests/test_orders.py", "def test_total():",
                "@pytest.mark.skip\ndef test_total():"), GREEN), "bypassed"),
        ((RED, ("run", "chmod -R 777 shop", ""), GREEN), "bypassed"),
    ],
    ids=[
        "flake", "no shared name", "an install of something else", "never tried again", "stays",
        "a person wants it back", "thrown away", "put back", "disowned", "failure ignored",
        "test left out", "expectation bent", "test skipped", "all rights",
    ],
)  # fmt: skip
def test_only_a_change_that_really_ended_an_error_is_its_fix(session, events, outcome):
    row = rows(session, *events)[0]
    assert row["outcome"] == outcome
    if outcome in ("flake", "bypassed", "fixed"):
        assert row["fix"] is None


def test_a_fix_after_which_the_error_comes_back_is_a_loss(session):
    again = rows(session, RED, EDIT, GREEN, WHY, RED)
    assert [row["outcome"] for row in again] == ["open", "open"]
    assert again[0]["fix"] is not None


def test_a_commit_that_leaves_the_checks_out_is_a_bypass(session):
    red = ("run", "git commit -m x", "[FORMAT] Code is not formatted.\n1 error", "error")
    forced = ("run", "git commit --no-verify -m x", "[main 1234567] x")
    (row,) = rows(session, red, forced)
    assert (row["outcome"], row["fix"]) == ("bypassed", None)


def test_what_was_ignored_and_added_by_force_is_a_bypass(session):
    said = "The following paths are ignored by one of your .gitignore files:\ndist\n"
    red = ("run", "git add src dist", f"Exit code 1\n{said}", "error")
    forced = ("run", "git add -f dist && git add src dist", "")
    (row,) = rows(session, red, forced)
    assert (row["outcome"], row["fix"]) == ("bypassed", None)


def test_another_command_in_its_place_is_told_without_the_name_of_the_day(session):
    red = ("run", "git push", "fatal: The current branch tide-7 has no upstream branch.\n"
           "    git push --set-upstream origin tide-7", "error")  # fmt: skip
    (row,) = rows(session, red, ("run", "git push --set-upstream origin tide-7", "done"))
    assert row["fix"] == "Ran `git push --set-upstream origin <name>` instead of `git push`."
    assert row["fix_kind"] == "replaced_command"


@pytest.mark.parametrize(
    ("failed", "said", "instead"),
    [
        ("npm view tide-gauge", "npm error code E404\nnpm error tide-gauge is not here: try tides",
         "npm view tides"),
        ("tide load harbour.csv", "error: unknown gauge 'ebb' in harbour.csv, see tide check",
         "tide load quay.csv --check"),
        ("tide load harbour.csv", "error: no gauge, try: wave load harbour.csv",
         "wave load harbour.csv"),
    ],
    ids=["another operand", "another file", "another program"],
)  # fmt: skip
def test_another_command_is_its_repair_only_with_the_same_operands(session, failed, said, instead):
    (row,) = rows(session, ("run", failed, said, "error"), ("run", instead, "done"))
    assert row["fix"] is None


def test_what_passes_with_the_changes_set_aside_mends_nothing(session):
    red = ("run", "tide load ebb", "error: no gauge for ebb, try: tide load ebb --gauge", "error")
    (row,) = rows(session, red, ("run", "tide load ebb --gauge", "done"))
    assert row["fix"] is not None
    (row,) = rows(session, red, ("run", "git stash && tide load ebb --gauge", "done"))
    assert row["fix"] is None


def test_a_comment_that_goes_ended_nothing(session):
    comment = ("edit", CODE, "# order_total wants currency\nx = 1", "x = 1")
    (row,) = rows(session, RED, comment, GREEN)
    assert row["fix"] is None


@pytest.mark.parametrize(
    "error",
    ["error: ConnectionRefused downloading tarball tide-gauge@2.1.0",
     "curl: (6) Could not resolve host: tides.example",
     "npm error code ETIMEDOUT", "fatal: unable to access 'tides': Connection timed out"],
)  # fmt: skip
def test_a_fault_of_the_network_ends_by_itself(session, error):
    red = ("run", "npm install tide-gauge", error, "error")
    edit = ("edit", f"{PROJECT}/tide-gauge.json", "tide-gauge: 2", "tide-gauge: 3, ETIMEDOUT: 9")
    (row,) = rows(session, red, edit, ("run", "npm install tide-gauge", "added 1 package"))
    assert (row["outcome"], row["fix"]) == ("flake", None)


@pytest.mark.parametrize(
    ("before", "fix"),
    [
        ("QUAY_URL=tide.example ", "Set `QUAY_URL`."),
        ("set -a && source ../.env && set +a && ", "Ran `source ../.env` first: `QUAY_URL`."),
        ("cd /home/ada/shop-api && ", None),
    ],
)
def test_a_variable_that_was_missing_is_mended_by_setting_it(session, before, fix):
    line = "uv run python -m tide.level"
    said = "Traceback (most recent call last):\nValueError: QUAY_URL is required but not set"
    (row,) = rows(session, ("run", line, said, "error"), ("run", before + line, "7 m"))
    assert (row["outcome"], row["fix"]) == ("fixed", fix)


@pytest.mark.parametrize("install", ["brew install tidewheel", "sudo apt install -y tide-tools"])
def test_a_program_that_was_missing_is_mended_by_installing_it(session, install):
    red = ("run", "tidewheel --up", "zsh: command not found: tidewheel", "error")
    (row,) = rows(session, red, ("run", install, "done"), ("run", "tidewheel --up", "up"))
    assert (row["fix"], row["fix_kind"]) == (f"Ran `{install}`.", "install")


@pytest.mark.parametrize(
    "slip",
    ["head: echo: No such file or directory", "sleep: invalid time interval: ‘echo’",
     "zsh: unmatched '", "bash: -c: line 1: unexpected EOF while looking for matching `\"'",
     "(eval):1: no matches found: src/*.q"],
)  # fmt: skip
def test_a_slip_in_a_line_of_the_shell_is_no_error_of_the_project(session, slip):
    assert rows(session, ("run", "make quay | head echo", f"Exit code 1\n{slip}", "error")) == []


@pytest.mark.parametrize("shown", ["gh run view 7 --log-failed", "docker compose logs tide"])
def test_what_a_log_of_elsewhere_shows_is_no_failure_of_showing_it(session, shown):
    log = ("run", shown, "tide  ERROR test: script failed\nerror: script exited with code 1")
    assert rows(session, log, ("run", shown.replace("7", "8"), "ok")) == []


def test_the_command_that_a_tool_proposes_is_the_fix(session):
    red = ("run", "git commit -m x",
           "Code is not formatted.\nRun 'mix format' to fix.\n1 error", "error")  # fmt: skip
    (row,) = rows(session, red, ("run", "mix format", ""), ("run", "git commit -m x", "[main] x"))
    assert (row["fix"], row["fix_kind"]) == ("Ran `mix format`.", "command")


@pytest.mark.parametrize(
    "said",
    [
        "Maybe order_total() expects a currency column, because the schema is missing it.",
        "Let me see: order_total() expects a currency column because the schema is missing it.",
        "I’m looking whether order_total() is why, because the schema is missing the column.",
        "The cache is never cleared, because the worker is missing a hook for it.",
    ],
    ids=["a hedge", "a plan", "of itself", "another thing"],
)
def test_a_cause_asserts_and_names_what_the_error_names(session, said):
    (row,) = rows(session, RED, ("agent", said), EDIT, GREEN)
    assert (row["outcome"], row["cause"]) == ("fixed", None)


def test_what_stands_in_green_runs_too_is_no_key_line(session):
    chatter = "Traceback (most recent call last):\nConnectionError: telemetry host is away\n"
    red = ("run", "python sail.py", f"{chatter}ValueError: berth 7 is taken", "error")
    loud = ("run", "python sail.py --dry", "ERROR telemetry\nsailed")
    found = rows(session, red, loud)
    assert [row["key_line"] for row in found] == ["ValueError: berth 7 is taken"]


def test_a_slip_and_a_file_made_in_the_same_session_teach_nothing(session):
    slip = ("run", CHECK, "E   SyntaxError: invalid syntax in order_total\n1 failed", "error")
    (row,) = rows(session, slip, EDIT, GREEN)
    assert (row["outcome"], row["fix"]) == ("fixed", None)


def test_a_count_of_errors_has_no_fix(session):
    build, red = "cargo build", "error: could not compile `orders` (lib) due to 2 previous errors"
    edit = ("edit", CODE, "return orders(rows)", "return orders(rows, currency)")
    (row,) = rows(session, ("run", build, f"Exit code 101\n{red}", "error"), edit,
                  ("run", build, "    Finished dev in 2 s"))  # fmt: skip
    assert (row["outcome"], row["fix"]) == ("fixed", None)


@pytest.mark.parametrize(
    ("failed", "said", "after", "fix"),
    [
        ("tide bun run test", "error: unrecognized subcommand 'bun'", "bun run test",
         "Ran it without `tide`."),
        ("pytest", "/bin/sh: 1: pytest: not found", "uv run pytest",
         "Ran `uv run pytest …` instead of `pytest …`."),
        ("npm test", "npm error enoent Could not read package.json: no such file",
         "cd web && npm test", "Ran it in `web`."),
        ("cd web && npm test", "The token '&&' is not a valid statement separator in this version.",
         "cd web ; npm test", "Ran the commands one by one (`;`), not with `&&` between them."),
        ("pytest --tide=3 shop", "pytest: error: unrecognized arguments: --tide=3", "pytest shop",
         "Ran `pytest shop` without `--tide`."),
        ("pnpm ebb check .", 'ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "ebb" not found',
         "npx ebb check .", "Ran `npx ebb …` instead of `pnpm ebb …`."),
        ("uv pip install tides", "error: No virtual environment found; run `uv venv` to create an"
         " environment, or pass `--system` to install into a non-virtual environment",
         "uv pip install --system tides",
         "Ran `uv pip install --system tides` instead of `uv pip install tides`."),
    ],
    ids=["wrapper left out", "runner in front", "another folder", "another separator",
         "unknown option", "another wrapper", "an option that the error names"],
)  # fmt: skip
def test_the_same_command_run_another_way_is_the_fix(session, failed, said, after, fix):
    red = ("run", failed, f"Exit code 2\n{said}", "error")
    (row,) = rows(session, red, ("run", after, "4 passed in 0.1s"))
    assert (row["outcome"], row["fix"]) == ("fixed", fix)


@pytest.mark.parametrize("folder", ["web", "/home/ada/shop-api/web"])
def test_a_call_that_names_another_folder_is_another_way(session, folder):
    said = 'Exit code 1\nnpm error Missing script: "lint"'
    red = ("tool", "run_shell_command", {"command": "npm run lint"}, said)
    again = {"command": "npm run lint", "dir_path": folder}
    (row,) = rows(session, red, ("tool", "run_shell_command", again, "fine"))
    assert (row["outcome"], row["fix"]) == ("fixed", "Ran it in `web`.")


@pytest.mark.parametrize(
    "looks", ["which quay", "command -v quay", "brew install quay", "man quay"]
)
def test_to_look_for_a_program_is_no_other_way_to_run_it(session, looks):
    red = ("run", "quay list", "Exit code 127\nbash: quay: command not found", "error")
    after = f"{looks} 2>/dev/null || /opt/bin/quay list 2>/dev/null || echo 'quay is not there'"
    for row in rows(session, red, ("run", after, "quay is not there")):
        assert row["fix"] is None


def test_a_command_that_passes_outside_of_the_sandbox_is_told(session):
    said = "Error: listen EPERM: operation not permitted 127.0.0.1\n    at Server (net.js:1)\n"
    red = ("tool", "shell", {"command": "npx vitest run"}, f"Exit code: 1\nOutput:\n{said}")
    free = {"command": "npx vitest run", "sandbox_permissions": "require_escalated"}
    (row,) = rows(session, red, ("tool", "shell", free, "Exit code: 0\nOutput:\nfine"))
    assert (row["outcome"], row["fix"]) == ("fixed", "Ran it outside of the sandbox.")


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("bun run test", "error: no harbour at all\n 31 pass\n 0 fail"),
        ("pytest -q | tail -5", "Error: no harbour at all\n31 passed in 0.2s"),
        ("npm test -- --grep 'a|b'", "Exit code: 0\nOutput:\nerror: no harbour at all"),
    ],
)
def test_words_of_errors_in_what_went_well_are_no_failure(session, line, output):
    assert rows(session, ("run", line, output)) == []


@pytest.mark.parametrize(
    "change",
    [
        "git show-ref --heads quay",
        "corepack pnpm run test quay",
        "npx tsc -p quay.json --noEmit",
        "sudo chown -R ada /srv/quay",
        "go vet ./quay && gofmt -l . && go test ./quay",
        "curl -I --max-time 9 https://quay.example",
        "git worktree list quay; gh run list quay",
    ],
)
def test_what_looks_checks_or_is_of_one_machine_is_no_fix(session, change):
    red = ("run", "make boats", "Exit code 2\nerror: quay is not there in quay.json", "error")
    (row, *_) = rows(session, red, ("run", change, ""), ("run", "make boats", "fine"))
    assert row["fix"] is None


BROKEN = "ImportError: cannot import name 'Berth' from 'quay_types' (/opt/quay/__init__.py)"


def test_a_formatter_ends_what_is_said_of_the_form_alone(session):
    lay_out = ("run", "gofmt -w berth/quay.go", "")
    for said, fix in (
        ("berth/quay.go:9:2: undefined: tideAt", None),
        (
            "berth/quay.go:9:2: File is not properly formatted (gofmt)",
            "Ran `gofmt -w berth/quay.go`.",
        ),
    ):
        red = ("run", "golangci-lint run ./berth", f"{said}\n1 issues", "error")
        (row,) = rows(session, red, lay_out, ("run", "golangci-lint run ./berth", "0 issues."))
        assert (row["outcome"], row["fix"]) == ("fixed", fix)


def test_what_still_runs_has_not_passed(session):
    runs = "Chunk ID: 4a\nProcess running with session ID 89507\nOutput:\n"
    (row,) = rows(session, RED, ("run", f"{CHECK} -x", runs))
    assert (row["outcome"], row["fix"]) == ("open", None)
    for code, said, outcome in ((0, "4 passed", "fixed"), (1, ERROR[12:], "open")):
        end = f"Chunk ID: 4b\nProcess exited with code {code}\nOutput:\n{said}"
        asked = ("tool", "write_stdin", {"session_id": 89507}, end)
        told = rows(session, RED, EDIT, ("run", CHECK, runs), asked)
        assert told[0]["outcome"] == outcome


def test_the_last_try_with_other_options_is_the_change_that_ended_it(session):
    red = ("run", "uv tool install --upgrade quay && quay sync", f"Exit code 1\n{BROKEN}", "error")
    vain = ("run", "uv cache clean quay-types && uv tool install --force quay", "Installed quay")
    fresh = ("run", "uv tool install --reinstall-package quay_types quay", "Installed quay")
    (row,) = rows(session, red, vain, fresh, ("run", "quay sync", "synced 4 berths"))
    assert row["fix"] == "Ran `uv tool install --reinstall-package <name> quay`."


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("scp quay pier:/srv/quay && ssh pier 'systemctl status quay'",
         'scp: dest open "/srv/quay": Failure'),
        ("go vet ./... && pytest tides", "vet: quay.go:3:1: undefined: berth"),
        ("tauri build && make quay", "sh: tauri: command not found"),
    ],
    ids=["it names itself", "a line of its tool", "it is missing"],
)  # fmt: skip
def test_an_error_of_the_first_command_of_a_line_is_not_ended_by_the_last(session, line, error):
    first, _, last = line.partition(" && ")
    look = ("run", last, "quay is dead")
    (row,) = rows(session, ("run", line, f"Exit code 1\n{error}", "error"), look)
    assert (row["outcome"], row["fix"]) == ("open", None)
    again = rows(session, ("run", line, f"Exit code 1\n{error}", "error"), look,
                 ("run", first, "done"))  # fmt: skip
    assert again[0]["passed_record_id"] is not None


@pytest.mark.parametrize(
    "told",
    [
        "\u2009ELIFECYCLE\u2009 Command failed with exit code 1.\n[desk:build] ERROR task failed",
        "error Command failed with exit code 1.\ninfo Visit the docs.",
        "make: *** [Makefile:4: desk] Error 1",
        'error: script "desk" exited with code 1',
        "error: Recipe `desk` failed on line 4 with exit code 1",
    ],
    ids=["pnpm and mise", "yarn", "make", "bun", "just"],
)
def test_what_a_runner_says_to_have_failed_did_not_pass(session, told):
    red = ("run", "mise run desk", "Exit code 1\nsh: tauri: command not found", "error")
    tail = ("run", "mise run desk 2>&1 | tail -3", f"bundling\n{told}")
    found = rows(session, red, ("run", "yes | pnpm install", "Done in 2s"), tail)
    assert [(row["outcome"], row["fix"]) for row in found][:1] == [("open", None)]


def test_an_install_is_told_with_its_folder(session):
    red = ("run", "make desk", "Exit code 1\nsh: tauri: command not found", "error")
    install = ("run", f"cd {PROJECT}/desk && pnpm install", "Done in 2s")
    (row,) = rows(session, red, install, ("run", "make desk", "built"))
    assert row["fix"] == "Ran `pnpm install` in `desk`."


def test_a_variable_without_which_it_would_ask_is_told_with_the_option_that_went(session):
    red = ("run", "git rebase --continue --no-edit", "error: unknown option `no-edit'", "error")
    (row,) = rows(session, red, ("run", "GIT_EDITOR=true git rebase --continue", "done"))
    assert row["fix"] == "Ran `GIT_EDITOR=true git rebase` without `--no-edit`."
    (row,) = rows(session, red, ("run", "QUAY=/home/ada git rebase --continue", "done"))
    assert row["fix"] is None
