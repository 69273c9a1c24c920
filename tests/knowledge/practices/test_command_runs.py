"""What was run: which task it does, in which form it is counted, in which folder, with what."""

import time
from datetime import timedelta

import polars as pl
import pytest

from cairn.knowledge.practices.command_runs import command_runs
from cairn.knowledge.practices.tasks import target_task
from tests.knowledge.conftest import BEGIN


@pytest.fixture
def ran(session):
    """What COMMAND_RUNS has of one line in the project's root."""

    def rows(line: str, output: str = "", *error: str) -> list[dict]:
        return command_runs(session(("run", line, output, *error))).to_dicts()

    return rows


FORMS = [
    ("go test ./... -count=1 2>&1 | tail -20", "test", "go test ./..."),
    ("go test ./orders -run TestTotal -v", "test", "go test <packages>"),
    ("go test -race -tags=integration ./...", "test", "go test -race -tags=integration ./..."),
    ("go build -o bin/shop ./cmd/shop", "build", "go build -o bin/shop ./cmd/shop"),
    ("go build ./orders/...", "build", "go build <packages>"),
    ("go vet -tags tide ./...", "lint", "go vet -tags=tide ./..."),
    ("go mod tidy", None, "go mod tidy"),
    ("vale docs/tides.md", "lint", "vale"),
    ("vale sync", "install", "vale sync"),
    ("go mod download", "install", "go mod download"),
    ("uv lock --upgrade-package tides", None, "uv lock --upgrade-package tides"),
    ("cargo clippy -q -- -D warnings", "lint", "cargo clippy -- -D warnings"),
    ("cargo t -p core --lib -- --nocapture", "test", "cargo test"),
    ("cargo fmt --check", "lint", "cargo fmt --check"),
    ("npm i express", "install", "npm install <package>"),
    ("npm ci", "install", "npm ci"),
    ("npm test -- --grep total", "test", "npm test"),
    ("yarn", "install", "yarn"),
    ("yarn next build", "build", "yarn next build"),
    ("pnpm playwright test e2e/pay.spec.ts", "test", "pnpm playwright test"),
    ("corepack pnpm run lint", "lint", "corepack pnpm run lint"),
    ("pnpm run typecheck", "type_check", "pnpm run typecheck"),
    ("bun run dev", "run", "bun run dev"),
    ("bun verify", "lint", "bun verify"),
    ("bun release:manual", "release", "bun release:manual"),
    ("bun run changeset version", "release", "bun run changeset version"),
    ("bun x tsc --noEmit", "type_check", "bun x tsc --noEmit"),
    ("npm run test:env", "test", "npm run test:env"),
    ("npx expo run:ios --device 0a1b2c3d-0a1b", "run", "npx expo run:ios"),
    ("fish -c 'npx expo prebuild --clean' 2>&1", "build", "npx expo prebuild --clean"),
    ("bash -lc 'cd /home/ada/shop-api && make test'", "test", "make test"),
    ("doppler run --config ci -- bun test", "test", "doppler run --config ci -- bun test"),
    ("doppler run -- npx vitest run", "test", "doppler run -- npx vitest run"),
    ("op run --env-file=.env -- make deploy", "deploy", "op run --env-file=.env -- make deploy"),
    ("dotenv -e .env.test -- npm test", "test", "dotenv -e .env.test -- npm test"),
    ("direnv exec . make lint", "lint", "direnv exec . make lint"),
    ("nix develop -c cargo test", "test", "nix develop -c cargo test"),
    ("nix-shell --run 'make test'", "test", "nix-shell --run make test"),
    ("env CI=1 npm test", "test", "npm test"),
    ("pnpm test --filter=@shop/web", "test", "pnpm test --filter=@shop/web"),
    ("npx turbo run lint --force --filter='*'", "lint", "npx turbo run lint --force"),
    ("bun run build --filter @shop/web", "build", "bun run build --filter @shop/web"),
    ("npm test -w web -- --grep total", "test", "npm test -w web"),
    ("uv run pytest services/api/tests/test_a.py -x", "test", "uv run pytest services/api"),
    ("bun test packages/web/src/a.test.ts", "test", "bun test packages/web"),
    ("go test ./services/api/...", "test", "go test <packages>"),
    ("uv run pytest services/api/tests --co -q", None, None),
    ("npx tsc --noEmit", "type_check", "npx tsc --noEmit"),
    ("npx prettier --write src/a.ts", "format", "npx prettier --write <files>"),
    ("pytest tests/test_a.py::test_b -xvs", "test", "pytest"),
    ("python3 -m pytest -n auto -m 'not slow'", "test", "python3 -m pytest -m 'not slow'"),
    ("/home/ada/shop-api/.venv/bin/pytest -q tests/", "test", ".venv/bin/pytest"),
    ("uv run --extra dev ruff check . --fix", "lint", "uv run --extra dev ruff check --fix ."),
    ("uv run ruff format .", "format", "uv run ruff format ."),
    ("poetry run mypy src", "type_check", "poetry run mypy src"),
    ("pre-commit run --all-files", "lint", "pre-commit run --all-files"),
    ("hatch run test:cov", "test", "hatch run test:cov"),
    ("nox -s tests", "test", "nox -s tests"),
    ("make -j8 test ARGS='-k total'", "test", "make test"),
    ("mise run test:ci -- -run TestTotal", "test", "mise run test:ci"),
    ("just fmt", "format", "just fmt"),
    ("mix test test/shop_test.exs:12", "test", "mix test"),
    ("mix compile --warnings-as-errors", "build", "mix compile --warnings-as-errors"),
    ("./gradlew clean build", "build", "./gradlew clean build"),
    ("mvn -q clean test", "test", "mvn clean test"),
    ("dotnet test --filter Total", "test", "dotnet test"),
    ("bundle exec rspec spec/order_spec.rb:12", "test", "bundle exec rspec"),
    ("docker compose up -d", "run", "docker compose up -d"),
    ("docker compose exec web pytest -q", "test", "docker compose exec web pytest"),
    ("zig build test", "test", "zig build test"),
    ("node --test tests/", "test", "node --test tests"),
    ("forge test -vv", "test", "forge test"),
    ("nix flake check", "test", "nix flake check"),
    ("sudo nixos-rebuild switch --flake .", "deploy", "sudo nixos-rebuild switch --flake ."),
    ("luacheck src", "lint", "luacheck src"),
    ("pod install", "install", "pod install"),
    ("terraform apply -auto-approve", "deploy", "terraform apply -auto-approve"),
    ("python manage.py runserver", "run", "python manage.py runserver"),
    ("python manage.py migrate", None, "python manage.py migrate"),
    ("node build.js", "build", "node build.js"),
    ("bash scripts/test.sh", "test", "bash scripts/test.sh"),
    ("bash -c 'make lint'", "lint", "make lint"),
    ("pip install -r requirements.txt", "install", "pip install -r requirements.txt"),
    ('git commit -m "$(cat <<EOF\nfix: totals\nEOF\n)"', "commit", "git commit -m <message>"),
    ("git tag -a v1.2.0 -m rel", "release", "git tag -a <version> -m <message>"),
    ("uv run uvicorn shop:app --host 0.0.0.0", "run", "uv run uvicorn shop:app --host 0.0.0.0"),
    ("gh release create v1.2.0 --generate-notes", "release",
     "gh release create <version> --generate-notes"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "task", "form"), FORMS)
def test_a_command_has_one_form_for_its_task(ran, line, task, form):
    told = [(row["task"], row["command"]) for row in ran(line)]
    assert told == ([(task, form)] if form else [])


@pytest.mark.parametrize(
    "line",
    [
        "git status", "git tag -l", "git push", "ls tests", "cat Makefile", "make help",
        "npm run", "go version", "gitleaks version",
        "git tag before-the-move", "pytest --version", "echo make test", "grep -rn pytest .",
        "ssh build.example make test", "cd /tmp/scratch && npm test", 'cd "$DIR" && make test',
        "bun scripts/seed.ts", "bun -e 'import test; build(1)'",
        "doppler run -- env", "doppler secrets", "nix develop",
        "python /tmp/check_test.py", "python -c 'import pytest'", "test -f Makefile",
    ],
)  # fmt: skip
def test_what_only_looks_or_is_elsewhere_is_no_task(ran, line):
    assert ran(line) == []


@pytest.mark.parametrize(
    ("line", "env"),
    [
        ("source venv/bin/activate && pytest", ["source venv/bin/activate"]),
        (". /home/ada/shop-api/.venv/bin/activate; pip install -e .",
         ["source .venv/bin/activate"]),
        ("source venv/bin/activate && cd web && CI=1 make test",
         ["CI=1", "source ../venv/bin/activate"]),
        ("conda activate shop && pytest", ["conda activate shop"]),
        ("source /opt/tools/bin/activate && pytest", []),
        ("source $VENV/bin/activate && pytest", []),
        ("pytest && source venv/bin/activate", []),
    ],
    ids=["folder", "whole path", "from another folder", "conda", "elsewhere", "unknown", "later"],
)  # fmt: skip
def test_a_command_is_run_in_the_environment_that_its_line_activates(ran, line, env):
    assert [row["env"] for row in ran(line)] == [env]


@pytest.mark.parametrize(
    ("line", "folders"),
    [
        ("(cd web && npm test)\n(cd api && npm test)\nmake build", ["web", "api", ""]),
        ("bash -c 'cd tools; make lint'\nmake build", ["tools", ""]),
        ("cd web | cat; npm test", [""]),
        ("X=$(cd web && pwd); npm test", [""]),
        ("cd web && npm test 2>&1 | tail -3 && npm run lint", ["web", "web"]),
        ("pushd web && npm test && popd && npm run lint", ["web", ""]),
        ("cd web; npm test; cd - && npm run lint", ["web", ""]),
    ],
)
def test_a_folder_that_a_shell_enters_is_left_with_it(ran, line, folders):
    assert [row["folder"] for row in ran(line)] == folders


def test_nothing_ran_in_a_folder_that_is_not_there(ran):
    assert ran("cd nowhere && npm test", "cd: nowhere: No such file or directory", "error") == []


def test_folder_and_environment_are_those_that_it_ran_with(ran):
    line = "export CI=1; cd web && API_TOKEN=abc NODE_ENV=test npm run build && cd .. && make lint"
    build, lint = ran(line)
    assert (build["folder"], build["env"]) == ("web", ["API_TOKEN", "CI=1", "NODE_ENV=test"])
    assert (lint["folder"], lint["env"], lint["place"]) == ("", ["CI=1"], 3)
    assert ran("make -C web test")[0]["folder"] == "web"
    assert ran("cd /home/ada/shop-api/web && npm test")[0]["folder"] == "web"


@pytest.mark.parametrize(
    ("line", "narrowed"),
    [
        ("pytest tests", False), ("pytest tests/test_a.py -x", True), ("pytest -k total", True),
        ("go test ./... -count=1", False), ("go test ./orders -run TestTotal", True),
        ("go test ./orders/... -count=1", True),
        ("pnpm test --filter=@shop/web", True), ("mix test test/shop_test.exs:12", True),
        ("npx tsc --noEmit", False), ("npx eslint src/a.ts", True), ("node build.js", False),
    ],
)  # fmt: skip
def test_a_check_of_a_part_is_told_from_one_of_the_whole(ran, line, narrowed):
    assert [row["narrowed"] for row in ran(line)] == [narrowed]


def test_a_worktree_is_its_repository(session):
    logs = session(("run", "make test", "")).with_columns(
        cwd=pl.lit("/home/ada/shop-api/.worktrees/ada/totals/web"),
        project=pl.lit("/home/ada/shop-api"),
    )
    root = logs.with_columns(
        cwd=pl.lit("/home/ada/shop-api/.worktrees/ada/totals"),
        record_id=pl.col("record_id") + "x",
        seq=pl.col("seq") + 2,
        call_id=pl.col("call_id") + "x",
    )
    runs = command_runs(pl.concat([logs, root])).sort("seq")
    assert runs["folder"].to_list() == ["web", ""]


def test_targets_are_told_by_their_words():
    assert target_task("test:unit") == "test"
    assert target_task("lint:fix") == "lint"
    assert target_task("format:check") == "lint"
    assert target_task("type-check") == "type_check"
    assert target_task("spotlessApply") == "format"
    assert target_task("clean") is None
    assert target_task("contest") is None


def test_calls_of_several_conversations_are_kept_apart(session):
    one = session(("run", "make test", "ok"), conversation="a")
    other = session(("run", "make lint", "ok"), conversation="b", begin=BEGIN + timedelta(days=1))
    both = command_runs(pl.concat([other, one]))
    assert both.equals(
        pl.concat([command_runs(one), command_runs(other)]).sort("namespace", "record_id", "place")
    )


@pytest.mark.parametrize(
    "text",
    ["make test " + ">a1" * 6_600 + " x", "make test && " * 1_500 + "x", "'" * 20_000,
     "make test; echo " + '"\\' * 9_000, "a" * 20_000, "go test " + "-" * 19_000,
     "[" * 20_000, " " * 20_000 + "make test", "FAIL " * 4_000],
)  # fmt: skip
def test_hostile_lines_and_outputs_take_no_time(ran, text):
    begin = time.process_time()
    ran(text, text)
    ran("go test ./...", text)
    assert time.process_time() - begin < 2


def test_a_program_made_on_the_spot_proves_nothing(session):
    line = "gcc -I include test_tide.c -o test_tide && ./test_tide"
    logs = session(("run", line, "fine"), ("run", "make test", "fine"))
    assert dict(command_runs(logs).select("command", "passed").iter_rows()) == {
        "./test_tide": None, "make test": True,
    }  # fmt: skip


def test_a_line_of_another_shell_is_read_by_its_paths_or_not_at_all(session):
    def ran(line: str) -> list[str]:
        given = ("tool", "PowerShell", {"command": line}, "")
        return command_runs(session(given))["command"].to_list()

    assert ran("npm test") == ["npm test"]
    assert ran("$b = @'\nnpm test\n'@; gh issue create --body $b") == []


def test_what_still_runs_has_not_passed(session):
    told = "Wall time: 30 seconds\nProcess running with session ID 71\nOutput:\n 3 pass\n"
    run, asked = ("run", "bun test", told), ("tool", "write_stdin", {"session_id": 71})
    assert command_runs(session(run))["passed"].to_list() == [None]
    ended = "Wall time: 1 second\nProcess exited with code 0\nOutput:\n 3 pass\n"
    seen = session(run, (*asked, told), (*asked, ended))
    assert command_runs(seen)["passed"].to_list() == [True], "asked twice until it has ended"


@pytest.mark.parametrize(
    ("inputs", "folder"),
    [
        ({"dir_path": "client"}, "client"),
        ({"directory": "./client/"}, "client"),
        ({"workdir": "/home/ada/shop-api/client"}, "client"),
        ({"dir_path": ""}, ""),
        ({"dir_path": "../other"}, None),
    ],
)
def test_a_call_may_name_the_folder_that_it_runs_in(session, inputs: dict, folder: str | None):
    call = ("tool", "run_shell_command", {"command": "npm run lint", **inputs}, "")
    rows = command_runs(session(call)).to_dicts()
    assert [row["folder"] for row in rows] == ([] if folder is None else [folder])
