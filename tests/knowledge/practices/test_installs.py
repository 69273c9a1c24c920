"""An install is what works here only if nothing that followed says otherwise."""

import pytest

from cairn.knowledge.practices.command_runs import command_runs

ADDED = "added 9 packages in 2s"
NPM = ("run", "npm install", ADDED)
PNPM = ("run", "pnpm install", "Done in 2s")
SYNC = ("run", "uv sync", "Audited 9 packages in 4ms")
ALL = ("run", "uv sync --all-packages", "Installed 3 packages in 9ms")
RED = ("run", "uv run pytest", "ModuleNotFoundError: No module named 'quay'", "error")
GREEN = ("run", "uv run pytest", "4 passed in 0.2s")


@pytest.mark.parametrize(
    ("events", "passed"),
    [
        ([PNPM], [True]),
        ([PNPM, NPM], [False, True]),
        ([NPM, PNPM, ("run", "rm pnpm-lock.yaml", ""), NPM], [False, False, True]),
        ([PNPM, ("run", "rm -rf node_modules pnpm-lock.yaml", "")], [False]),
        ([NPM, ("run", "rm -rf node_modules && npm install", ADDED)], [True, True]),
        ([NPM, ("run", "npm install -g pnpm", ADDED)], [True, True]),
        ([PNPM, ("human", "We use npm here.")], [False]),
        ([PNPM, ("human", "Why did you run pnpm?")], [False]),
        ([PNPM, ("human", "Thanks, now the tests.")], [True]),
        ([PNPM, ("human", "Fine."), ("human", "We use npm in the other project.")], [True]),
        ([SYNC, RED, ALL, GREEN], [False, False, True, True]),
        ([SYNC, GREEN, ALL, GREEN], [True, True, True, True]),
        ([SYNC, RED, ALL, RED], [True, False, True, False]),
        ([SYNC, RED, ("run", "uv add tide", "Resolved 3 packages in 2ms"), GREEN],
         [True, False, True, True]),
        ([PNPM, ("run", "cd web && npm install", ADDED)], [True, True]),
    ],
    ids=["alone", "another manager", "and back", "lock file removed", "installed anew", "global",
         "the other is used", "why", "thanks", "later", "another form", "never red", "red still",
         "a package was missing", "another folder"],
)  # fmt: skip
def test_what_followed_tells_of_an_install(session, events, passed):
    assert command_runs(session(*events)).sort("seq")["passed"].to_list() == passed


def test_it_is_not_known_before_something_told(session):
    first, second = command_runs(session(PNPM, NPM)).sort("seq").iter_rows(named=True)
    assert first["ended_at"] == second["ended_at"]
