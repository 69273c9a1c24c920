"""Shortcuts: each kind is found as it is run, written and said, and what is like one is not."""

# ruff: noqa: E501  (a line of a table is easier to read where it is not broken)

import json

import polars as pl
import pytest

from cairn.knowledge.dialogue.shortcuts.kinds import KINDS
from cairn.knowledge.dialogue.shortcuts.shortcuts import (
    Edit,
    in_command,
    in_edit,
    in_words,
    shortcut,
)
from cairn.knowledge.dialogue.tool_calls import steps
from cairn.knowledge.dialogue.turns import conversations, readable
from cairn.knowledge.learnings.draft import decode
from cairn.knowledge.learnings.stages import learning_candidates
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.conftest import PADDING

RUN = {
    "force_push": [
        "git push --force origin main", "git push -f", "git push origin +main",
        "git reset --hard origin/main && git pull", "git clean -xfd", "git branch -D feature",
    ],
    "hooks_skipped": [
        "git commit --no-verify -m 'x'", "git commit -n -m x", "HUSKY=0 git push",
        "git -c core.hooksPath=/dev/null commit", "SKIP=mypy git commit -m x",
    ],
    "failure_ignored": [
        "pytest || true", "make lint || :", "set +e; make", "flake8 --exit-zero",
        "jest --passWithNoTests", "mvn -Dmaven.test.failure.ignore=true test",
    ],
    "tests_disabled": [
        "pytest --deselect tests/test_a.py::test_b", "pytest -k 'not slow'", "mvn -DskipTests package",
        "pytest --ignore=tests/test_orders.py", "rm tests/test_orders.py", "git rm -r spec/",
        "go test ./... -skip TestSlow", "gradle build -x test", "mv test_a.py test_a.py.bak",
    ],
    "expectation_edited": [
        "jest -u", "npm test -- -u", "pytest --snapshot-update", "cargo insta accept",
        "go test ./... -update", "UPDATE_GOLDEN=1 make test",
        "sed -i 's/assertEqual(total, 5)/assertEqual(total, 6)/' tests/test_cart.py",
    ],
    "check_silenced": ["mypy --ignore-missing-imports src", "pylint --disable=all src"],
    "identity_unchecked": [
        "curl -k https://example.org", "curl -sSLk https://example.org", "wget --no-check-certificate u",
        "pip install --trusted-host pypi.example.org x", "export NODE_TLS_REJECT_UNAUTHORIZED=0",
        "npm config set strict-ssl false", "git config http.sslVerify false",
        "ssh -o StrictHostKeyChecking=no host", "apt-get install --allow-unauthenticated x",
        "kubectl --insecure-skip-tls-verify get pods", "GOSUMDB=off go get x",
    ],
    "access_opened": [
        "chmod 777 /srv", "chmod -R 0777 .", "chmod a+rwx data", "chmod o+w x", "chmod 666 /dev/kvm",
        "docker run --privileged x", "mysqld --skip-grant-tables", "chromium --no-sandbox",
        "claude --dangerously-skip-permissions",
    ],
    "protection_off": [
        "ufw disable", "sudo systemctl stop firewalld", "systemctl disable --now apparmor",
        "setenforce 0", "iptables -F", "service iptables stop",
        "Set-NetFirewallProfile -Profile Domain -Enabled False", "spctl --master-disable",
        "sed -i s/SELINUX=enforcing/SELINUX=disabled/ /etc/selinux/config",
    ],
    "guard_deleted": [
        "rm -f .git/index.lock", "rm -rf node_modules package-lock.json", "rm poetry.lock",
        "rm -rf .git/hooks", "rm .pre-commit-config.yaml", "ssh-keygen -R host",
    ],
}  # fmt: skip

WRITTEN = {
    "failure_ignored": ["      continue-on-error: true", "    - run: make test || true", "except Exception: pass"],
    "tests_disabled": [
        "@pytest.mark.skip(reason='flaky')", "@pytest.mark.xfail", "it.skip('adds', () => {})",
        "xit('adds')", "  @Disabled", 't.Skip("later")', "#[ignore]", "@tag :skip", "describe.only(",
    ],
    "expectation_edited": ["fail_under = 40"],
    "check_silenced": ["x = 1  # noqa: E501", "y = f()  # type: ignore", "// eslint-disable-next-line", "// @ts-ignore",
                       "#[allow(dead_code)]", '"strict": false'],
    "identity_unchecked": ["requests.get(url, verify=False)", "rejectUnauthorized: false", "InsecureSkipVerify: true",
                           "ctx.check_hostname = False", "verify_certs: false", "sslmode=disable"],
    "access_opened": ["PermitRootLogin yes", "ann ALL=(ALL) NOPASSWD: ALL", "    privileged: true",
                      "Access-Control-Allow-Origin: *", "POSTGRES_HOST_AUTH_METHOD: trust"],
    "protection_off": ["SELINUX=disabled"],
}  # fmt: skip

SAID = {
    "force_push": ["Force-push the branch.", "Push with `--force` instead."],
    "hooks_skipped": ["Skip the pre-commit hook.", "Use `--no-verify` for this commit."],
    "failure_ignored": ["Ignore the exit code of the linter.", "Swallow the exception.", "Append `|| true`."],
    "tests_disabled": [
        "Skip the failing test until the API is back.", "Disabled the flaky integration tests.",
        "Mark the test as xfail.", "Comment out the test, which fails.",
        "Delete the failing test case.",
    ],
    "expectation_edited": [
        "Update the expected value in the test to 6.", "Change the assertion so that it passes.",
        "Regenerate the snapshots.", "Relax the tolerance.", "Now the test expects 404.",
    ],
    "check_silenced": ["Suppress the lint warning.", "Turn off type checking.", "Add `# type: ignore` to the import.",
                       "Disable strict mode."],
    "identity_unchecked": ["Turn off SSL verification.", "The fix is to ignore the certificate errors.",
                           "Disable certificate validation in the client.", "Skip the checksum verification."],
    "access_opened": ["Disable authentication.", "Set the mode to `chmod 777`.", "Bypass the login."],
    "protection_off": ["The fix is to disable the firewall.", "Turn the firewall off.", "SELinux is now disabled.",
                       "Stop fail2ban and disable AppArmor."],
    "guard_deleted": ["Delete the lock file.", "Remove `poetry.lock`."],
}  # fmt: skip


def each(table):
    return [(kind, text) for kind, texts in table.items() for text in texts]


def test_the_list_is_whole():
    names = [kind.name for kind in KINDS]
    assert names == list(dict.fromkeys(names)) == list(RUN)


@pytest.mark.parametrize(("kind", "line"), each(RUN))
def test_each_kind_is_found_in_a_command(kind, line):
    assert in_command(line) == kind


@pytest.mark.parametrize(("kind", "line"), each(WRITTEN))
def test_each_kind_is_found_in_a_file(kind, line):
    assert in_edit(Edit("a/config.txt", "", line)) == kind
    assert in_edit(Edit("a/config.txt", line, f"{line}\nmore")) is None  # it was there before


@pytest.mark.parametrize(("kind", "text"), each(SAID))
def test_each_kind_is_found_in_words(kind, text):
    assert in_words(text) is not None, kind


@pytest.mark.parametrize(
    "line",
    [
        "git push --force-with-lease", "git push --force-if-includes --force-with-lease origin x",
        "git push --set-upstream origin main", "git commit -m 'never push --force'",
        "git commit -am 'Skip nothing'", "pytest -x tests/test_orders.py", "pytest -k total",
        "curl -sSL https://example.org | tar xz", "chmod +x run.sh", "chmod 755 run.sh", "chmod 600 key",
        "rm -rf node_modules dist", "rm /tmp/test_scratch.py", "git stash pop", "git branch -d old",
        "npm ci", "systemctl restart nginx", "ufw status", "grep -rn 'verify=False' src",
        "cat tests/test_orders.py > /tmp/x", "git mv tests/test_a.py tests/test_b.py", "make test-all",
        "ls -la todos 2>/dev/null || echo none", "docker run --rm x", "pip install tzdata",
    ],
)  # fmt: skip
def test_ordinary_commands_are_none(line):
    assert in_command(line) is None


@pytest.mark.parametrize("text", ["git ", "catch(", "rm a/", "disable the ", "host ", "-"])
def test_a_hostile_text_takes_no_hours(text):
    long = text * 50_000
    assert in_command(long) is None
    assert in_edit(Edit("a.txt", "", long)) is None
    in_words(long[:20_000])


@pytest.mark.parametrize(
    "text",
    [
        "Never disable the firewall.", "Don't skip the tests to get it green.",
        "Use `git push --force-with-lease` instead of `git push --force`.",
        "Open the port rather than disabling the firewall.", "Disabling SELinux is dangerous.",
        "The slim image doesn't ship a time zone database.", "Add `tzdata` to the requirements.",
        "Run the tests before each commit.", "Check the signature before you unpack.",
        "Add a test that covers two rows.",
        "Round each line's tax, and test the total.", "Use one query instead of one per row.",
        "The test database is dropped and created anew.", "Remove the duplicate test data.",
        "Make sure to enable certificate validation.", "Set the timeout to 30 seconds.",
    ],
)  # fmt: skip
def test_ordinary_words_are_none(text):
    assert in_words(text) is None


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("assert total == 5", "assert total == 6", "expectation_edited"),
        ("assert total == 5\nassert paid", "assert paid", "expectation_edited"),
        ("expect(total).toBe(5)", "expect(total).toBeGreaterThan(0)", "expectation_edited"),
        ("def test_total():\n    run()", "", "tests_disabled"),
        ("it('adds', () => {\n  run()\n})", "// gone", "tests_disabled"),
        ("total = cart()", "total = cart(tax=2)", None),
        ("assert total == 5", "    assert total == 5", None),
        ("run()", "await run()", None),
        ("assert paid", "assert paid\nassert total == 5", None),
        ("def test_a():\n    run()", "def test_total():\n    run()", None),
    ],
)
def test_a_test_that_is_changed_to_pass(old, new, found):
    assert in_edit(Edit("tests/test_cart.py", old, new)) == found
    assert in_edit(Edit("src/cart.py", old, new)) is None


def test_a_test_written_anew_hides_what_it_expected():
    assert in_edit(Edit("web/cart.test.ts", None, "expect(1).toBe(1)")) == "expectation_edited"
    assert in_edit(Edit("web/cart.test.ts", None, "expect(1).toBe(1)"), created=True) is None
    assert in_edit(Edit("web/__snapshots__/cart.snap", "5", "6")) == "expectation_edited"
    assert in_edit(Edit("tests/test_cart.py", "x", "", deleted=True)) == "tests_disabled"


FAILS = (
    "run",
    "pytest tests/test_cart.py",
    "E   AssertionError: cart_total() is 6, not 5\n1 failed",
    "error",
)
SAYS = ("agent", "cart_total() adds the tax twice because it is rounded before it is summed.")
PASSES = ("run", "pytest tests/test_cart.py", "1 passed")
MENDS = (
    "edit",
    "/home/ada/shop-api/cart.py",
    "cart_total = round(a) + round(b)",
    "cart_total = round(a + b)",
)


def drafted(session, *events):
    rows = learning_candidates(
        session(("human", "The cart test fails, fix it."), *events, *PADDING), Policy()
    )
    return [one for text in rows["drafts"] for one in decode(text)]


def test_a_solved_error_is_taught(session):
    (draft,) = drafted(session, FAILS, SAYS, MENDS, PASSES)
    assert (draft.category, draft.refused, draft.shortcut) == ("bug_fix", None, None)


@pytest.mark.parametrize(
    "events",
    [
        (SAYS, ("edit", "/home/ada/shop-api/tests/test_cart.py", "assert total == 5", "assert total == 6"), PASSES),
        (SAYS, MENDS, ("edit", "/home/ada/shop-api/tests/test_cart.py", "def test_x():", "@pytest.mark.skip\ndef test_x():"), PASSES),
        (SAYS, ("edit", "/home/ada/shop-api/conftest.py", "a", "a  # type: ignore"), PASSES),
        (SAYS, MENDS, ("run", "rm tests/test_other.py", ""), PASSES),
        (SAYS, MENDS, ("run", "pytest tests/test_cart.py --deselect tests/test_cart.py::test_tax", "1 passed")),
        (("agent", "I need to update the expected total in the test because the total is now 6."), MENDS, PASSES),
    ],
)  # fmt: skip
def test_a_shortcut_is_never_taught(session, events):
    found = drafted(session, FAILS, *events)
    assert all(draft.refused for draft in found)


def test_a_push_by_force_is_never_taught(session):
    rejected = (
        "run",
        "git push",
        "! [rejected] main -> main (non-fast-forward)\nerror: failed to push some refs",
        "error",
    )
    pulled = ("run", "git pull --rebase", "Successfully rebased and updated main.")
    forced = ("run", "git push --force", "+ 1a2b3c4...5d6e7f8 main -> main (forced update)")
    found = drafted(session, rejected, forced)
    assert found
    assert all("force_push" in str(draft.refused) for draft in found)
    leased = ("run", "git push --force-with-lease", "main -> main (forced update)")
    assert drafted(session, rejected, leased) == []
    assert drafted(session, rejected, pulled, leased) == []


TEST, SHOP = "tests/test_tariff.py", "/home/ada/shop-api/"
CHECK = "pytest tests/test_tariff.py"


def _events(failed, done, passed):
    """A check fails, somebody says why, and it passes."""
    changes = [
        (what, SHOP + one, *more) if what == "edit" else (what, one, *more)
        for what, one, *more in done
    ]
    return ("run", failed, FAILS[2], "error"), SAYS, *changes, ("run", passed, "4 passed")


def solved_by(session, failed, done, passed):
    """Drafts of such a session."""
    return drafted(session, *_events(failed, done, passed))


WEAKER = [
    # What is expected is made to be what the code does.
    ("npx jest header", "npx jest header --updateSnapshot"),
    ("npx vitest run footer", "npx vitest run footer --update"),
    ("go test ./parser", "UPDATE_GOLDENS=1 go test ./parser"),
    ("cargo test", "TRYBUILD=overwrite cargo test"),
    ("nx test cart", "nx test cart --updateSnapshot"),
    # Tests are left out.
    ("pytest -q", "pytest -q --ignore=tests/integration"),
    ("pytest -q", "PYTEST_ADDOPTS='-m \"not broker\"' pytest -q"),
    ("pytest -q", "pytest -q -k half"),
    ("vitest run", "vitest run --exclude tests/quay.test.ts"),
    ("rspec", "rspec --tag ~slow"),
    ("mvn test", "mvn test -DexcludedGroups=slow"),
    ("turbo run test", "turbo run test --filter='!broker'"),
    ("./test.sh", "./test.sh --skip-broker"),
    ("pytest -q", "pytest -q --reruns 5"),
    ("pytest -q", "pytest -q || echo done"),
    # A linter, a compiler or a scanner is told to look away.
    ("ruff check .", "ruff check --add-noqa ."),
    ("cargo clippy", "cargo clippy -- -A warnings"),
    ("cargo clippy -- -D warnings", "cargo clippy"),
    ("npx eslint src", "npx eslint src --rule 'no-undef: off'"),
    ("make", "make CFLAGS=-Wno-error"),
    ("trivy fs .", "trivy fs . --severity CRITICAL"),
    # A guard of any program is switched off.
    ("http https://nas.local/x", "http --verify=no https://nas.local/x"),
    ("mysql -h nas", "mysql -h nas --skip-ssl"),
    ("gh pr merge 5", "gh pr merge 5 --admin"),
]  # fmt: skip


@pytest.mark.parametrize(("failed", "passed"), WEAKER)
def test_a_check_that_passes_by_doing_less_is_never_taught(session, failed, passed):
    found = solved_by(session, failed, [(*MENDS[:1], "cart.py", *MENDS[2:])], passed)
    assert all(draft.refused for draft in [*found, *solved_by(session, failed, [], passed)])


OVERWRITES = [
    "cp out.ppm tests/expected/out.ppm", "./render | tee spec/fixtures/out.txt", "mv new.json testdata/a.json",
    "sed -i '12d' tests/test_tariff.py", "python -c \"open('tests/test_tariff.py','w').write('')\"",
    "git checkout HEAD~3 -- tests/test_tariff.py", "rm -rf tests/integration", "mv tests/broker off",
    "echo 'mira ALL=(ALL) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/mira", "echo 'src/legacy' >> .eslintignore",
    "(echo 'PermitRootLogin yes') >> /etc/ssh/sshd_config", "echo 'git push --force' | sh",
    "echo 'a NOPASSWD: ALL'; echo 'a NOPASSWD: ALL' | sudo tee /etc/sudoers.d/a",
    "npm pkg set scripts.test='exit 0'", "printf 'disable=all\\n' >> .pylintrc",
]  # fmt: skip


@pytest.mark.parametrize("line", OVERWRITES)
def test_what_a_command_writes_over_a_check_is_never_taught(session, line):
    assert in_command(line)
    assert all(draft.refused for draft in solved_by(session, CHECK, [("run", line, "")], CHECK))


WEAKENED = [
    (TEST, '    ("half", 30),', '    ("half", 31),'),
    (TEST, '        Decimal("11.00"),', '        "12.50",'),
    (TEST, "    assert total(\n        rounded,\n    ) == x", "    assert total(\n        exact,\n    ) == x"),
    (TEST, "    total = cart()", "    return\n    total = cart()"),
    (TEST, "    total = cart()", "    if False:\n        total = cart()"),
    (TEST, "    t = total()", "    monkeypatch.setattr(cart, 'total', lambda: 3)\n    t = total()"),
    (TEST, "    apply(discount)\n    close()", "    close()"),
    ("weigh_test.go", '{"crate", 33},', '{"crate", 44},'),
    ("tests/fixtures/ledger.json", '"total": 90', '"total": 91'),
    ("src/lib.rs", "assert_eq!(total(), 30);", "assert_eq!(total(), 31);"),
    ("tests/conftest.py", "import x", "import x\n@pytest.fixture(autouse=True)\ndef f(mocker):\n    mocker.patch('cart.total')"),
    ("pyproject.toml", 'addopts = "-q"', "addopts = \"-q -m 'not broker'\""),
    ("pytest.ini", "testpaths = tests integration", "testpaths = tests"),
    ("package.json", '"test": "jest"', '"test": "exit 0"'),
    ("package.json", '"check": "eslint src && tsc"', '"check": "tsc"'),
    ("ruff.toml", "ignore = []", 'ignore = ["E501"]'),
    (".eslintrc.json", '"no-undef": "error"', '"no-undef": "off"'),
    (".github/workflows/ci.yml", "    - run: mypy src", "    # - run: mypy src"),
    (".coveragerc", "fail_under = 90", "fail_under = 70"),
    (".trivyignore", "", "CVE-2026-1"),
    ("CMakeLists.txt", "add_compile_options(-Wall -Werror)", "add_compile_options(-Wall)"),
    ("cart.py", "def total():", 'def total():\n    if "PYTEST_CURRENT_TEST" in os.environ: return 21'),
    ("cart.py", "    tie(rope)", "    try:\n        tie(rope)\n    except RopeError: pass"),
    ("cart.ts", "await save()", "await save().catch(() => {})"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new"), WEAKENED)
def test_an_edit_that_weakens_a_check_is_never_taught(session, path, old, new):
    found = solved_by(session, CHECK, [("edit", path, old, new)], CHECK)
    assert all(draft.refused for draft in found)


ADDS = ("edit", TEST, "def test_a():", "def test_b():\n    assert total() == 3\n\ndef test_a():")
HELPS = ("edit", "tests/helpers.py", "    return Cart(lines)", "    return Cart(lines, rounding)")
SOURCE = ("edit", "cart.py", "round(a) + round(b)", "round(a + b)")


@pytest.mark.parametrize(
    ("failed", "done", "passed"),
    [
        (CHECK, [SOURCE, ADDS], CHECK),
        (CHECK, [ADDS, SOURCE], CHECK),
        (CHECK, [HELPS, SOURCE], CHECK),
        (CHECK, [("edit", "package.json", '"ignore": "^5.1.0"', '"ignore": "^5.2.0"')], CHECK),
        (CHECK, [("edit", "package.json", '"test": "vitest"', '"test": "vitest run"')], CHECK),
        (CHECK, [("edit", "pyproject.toml", 'select = ["E"]', 'select = ["E", "F"]')], CHECK),
        (CHECK, [("edit", "tsconfig.json", '"strict": false', '"strict": true')], CHECK),
        (CHECK, [("edit", "jest.config.js", "x: 1,", "x: 1,\ntransformIgnorePatterns: ['/(?!nanoid)'],")], CHECK),
        (CHECK, [("edit", ".github/workflows/ci.yml", "- run: pytest", "- run: apt-get install x\n- run: pytest")], CHECK),
        (CHECK, [("edit", "latest/contest.py", "a = 1", "a = 2")], CHECK),
        (CHECK, [("edit", "src/snapshot.py", "a = 1", "a = 2")], CHECK),
        ("pytest -q --ignore=tests/slow", [SOURCE], "pytest -q --ignore=tests/slow"),
        ("pytest -q", [], "PYTHONPATH=. pytest -q"),
        ("go test ./a", [], "CGO_ENABLED=1 go test ./a"),
        ("pip install a", [], "pip install --upgrade a"),
        ("npm ci", [], "npm ci --ignore-scripts"),
        ("npx tsc", [], "npx tsc -p tsconfig.build.json"),
        ("bundle exec rspec", [], "DISABLE_SPRING=1 bundle exec rspec"),
        (CHECK, [("run", "npm run build 2>&1 | tee build.log", "")], CHECK),
        (CHECK, [("run", "echo 'never --no-verify' >&2 && pip install x", "")], CHECK),
    ],
)  # fmt: skip
def test_what_weakens_no_check_is_no_shortcut(session, failed, done, passed):
    logs = session(*_events(failed, done, passed))
    ((_, _, turns),) = conversations(readable(logs))
    assert shortcut(steps(turns)) is None


@pytest.mark.parametrize(
    "done",
    [[SOURCE, HELPS], [HELPS], [HELPS, ("edit", "README.md", "a", "b")], [HELPS, ("edit", "cart.py", "x", "# why\nx")]],
)  # fmt: skip
def test_a_test_that_is_changed_after_all_else_teaches_nothing(session, done):
    assert all(draft.refused for draft in solved_by(session, CHECK, done, CHECK))


REFUSALS = [
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
    "the new_string was NOT written to the file).",
    "[Request interrupted by user for tool use]",
    "patch rejected by user",
    "exec command rejected by user",
    "aborted by user after 3.2s",
    "[Operation Cancelled] Reason: User denied execution.",
    "Claude requested permissions to write to /srv/cart.py, but you haven't granted it yet.",
    "Permission to use Edit has been denied.",
]


@pytest.mark.parametrize("output", REFUSALS)
def test_a_change_that_a_person_refused_solves_nothing(session, output):
    inputs = {
        "file_path": "/home/ada/shop-api/cart.py",
        "old_string": "cart_total = round(a) + round(b)",
        "new_string": "cart_total = round(a + b)",
    }
    events = (("human", "The cart test fails, fix it."), FAILS, SAYS, MENDS, PASSES, *PADDING)
    logs = session(*events)
    edited = logs.filter(tool_input=json.dumps(inputs))["call_id"].item()
    answered = (pl.col("call_id") == edited) & (pl.col("kind") == "tool_result")
    text = pl.when(answered).then(pl.lit(output)).otherwise("text")
    refused = logs.with_columns(text=text)
    for changed in (refused, logs.filter(~answered)):
        rows = learning_candidates(changed, Policy())
        assert [one for text in rows["drafts"] for one in decode(text) if one.refused is None] == []


@pytest.mark.parametrize(
    "then",
    [
        (("human", "No, revert that, it breaks the invoices."),),
        (("human", "Why did you change the rounding? Put it back."),),
        (("run", "git checkout -- cart.py", ""),),
        (("run", "git reset --hard", "HEAD is now at 1a2b3c4"),),
    ],
)
def test_what_was_taken_back_solves_nothing(session, then):
    found = drafted(session, FAILS, SAYS, MENDS, PASSES, *then)
    assert all(draft.refused for draft in found)


@pytest.mark.parametrize(
    "then",
    [
        ("human", "Stop for a second, so the tax was added twice?"),
        ("human", "Don't forget the changelog."),
        ("run", "git checkout -- notes.md", ""),
        ("run", "git restore --staged cart.py", ""),
    ],
)
def test_what_stays_is_taught(session, then):
    (draft,) = drafted(session, FAILS, SAYS, MENDS, PASSES, then)
    assert draft.refused is None
