"""Invented calls, each with what it tells of its project; those that tell nothing say why."""

# ruff: noqa: E501  (an output is as long as it is)

from typing import NamedTuple

from cairn.knowledge.practices.observed.branches import KIND as BRANCH
from cairn.knowledge.practices.observed.branches import MAIN_KIND as MAIN
from cairn.knowledge.practices.observed.branches import REMOTE_KIND as REMOTE
from cairn.knowledge.practices.observed.commits import KIND as COMMIT
from cairn.knowledge.practices.observed.ports import KIND as PORT
from cairn.knowledge.practices.observed.ports import SERVICE_KIND as SERVICE
from cairn.knowledge.practices.observed.systems import KIND as SYSTEM
from cairn.knowledge.practices.observed.versions import KIND as VERSION


class ObservedExample(NamedTuple):
    """What was run and printed, and what it tells: kind, name and value."""

    command: str
    output: str
    told: tuple[tuple[str, str, str | None], ...] = ()
    because: str = ""
    """Why it tells nothing."""


def _version(command: str, output: str, *told: str) -> ObservedExample:
    pairs = (each.rsplit(" ", 1) for each in told)
    return ObservedExample(command, output, tuple((VERSION, name, value) for name, value in pairs))


def _none(command: str, output: str, because: str) -> ObservedExample:
    return ObservedExample(command, output, (), because)


VERSIONS = (
    _version("python3 --version", "Python 3.12.1", "Python 3.12.1"),
    _version("uv run python -VV", "Python 3.13.0rc2 (main, Sep  9 2024, 22:53:37) [Clang 18.1.8 ]", "Python 3.13.0rc2"),
    _version("pypy3 --version", "Python 3.10.14 (39dc8d3c85a7, Aug 27 2024)\n[PyPy 7.3.17 with GCC 10.2.1]", "PyPy 7.3.17"),
    _version("node -v && npm -v", "v20.11.0\n10.2.4", "Node.js 20.11.0", "npm 10.2.4"),
    _version("which pnpm && pnpm --version", "/usr/local/bin/pnpm\n9.1.0", "pnpm 9.1.0"),
    _version("yarn --version", "4.1.1", "Yarn 4.1.1"),
    _version("deno --version", "deno 1.44.4 (release, x86_64-unknown-linux-gnu)\nv8 12.6.228.9\ntypescript 5.4.5", "Deno 1.44.4"),
    _version("bun --version", "1.1.13", "Bun 1.1.13"),
    _version("npx tsc --version", "Version 5.4.5", "TypeScript 5.4.5"),
    _version("cd api && go version", "go version go1.22.3 darwin/arm64", "Go 1.22.3"),
    _version("rustc --version; cargo --version", "rustc 1.78.0 (9b00956e5 2024-04-29)\ncargo 1.78.0 (54d8815d0 2024-03-26)", "Rust 1.78.0", "Cargo 1.78.0"),
    _version("ruby -v", "ruby 3.3.1 (2024-04-23 revision c56cd86388) [arm64-darwin23]", "Ruby 3.3.1"),
    _version("bundle --version", "Bundler version 2.5.9", "Bundler 2.5.9"),
    _version("java -version 2>&1", 'openjdk version "21.0.3" 2024-04-16\nOpenJDK Runtime Environment (build 21.0.3+9)', "Java 21.0.3"),
    _version("elixir --version", "Erlang/OTP 26 [erts-14.2.5] [source] [64-bit]\n\nElixir 1.16.3 (compiled with Erlang/OTP 26)", "Elixir 1.16.3", "Erlang/OTP 26"),
    _version("php -v", "PHP 8.3.7 (cli) (built: May  8 2024 08:56:56) (NTS)", "PHP 8.3.7"),
    _version("composer --version", "Composer version 2.7.6 2024-05-04 23:03:15", "Composer 2.7.6"),
    _version("dotnet --version", "8.0.204", ".NET 8.0.204"),
    _version("swift --version", "swift-driver version: 1.90.11.1 Apple Swift version 5.10 (swiftlang-5.10.0.13)", "Swift 5.10"),
    _version("kotlinc -version", "info: kotlinc-jvm 1.9.24 (JRE 21.0.3+9)", "Kotlin 1.9.24"),
    _version("zig version", "0.12.0", "Zig 0.12.0"),
    _version("dart --version", "Dart SDK version: 3.4.0 (stable)", "Dart 3.4.0"),
    _version("flutter --version", "Flutter 3.22.0 • channel stable", "Flutter 3.22.0"),
    _version("ghc --version", "The Glorious Glasgow Haskell Compilation System, version 9.4.8", "GHC 9.4.8"),
    _version("ocaml -version", "The OCaml toplevel, version 5.1.1", "OCaml 5.1.1"),
    _version("julia --version", "julia version 1.10.3", "Julia 1.10.3"),
    _version("R --version | head -1", "R version 4.4.0 (2024-04-24)", "R 4.4.0"),
    _version("gcc --version", "gcc (Debian 12.2.0-14) 12.2.0", "GCC 12.2.0"),
    _version("clang --version", "Apple clang version 15.0.0 (clang-1500.3.9.4)", "Clang 15.0.0"),
    _version("uv --version", "uv 0.5.1 (f399a5271 2024-11-08)", "uv 0.5.1"),
    _version("poetry --version", "Poetry (version 1.8.3)", "Poetry 1.8.3"),
    _version("pip --version", "pip 24.0 from /srv/tide/.venv/lib/python3.12/site-packages/pip (python 3.12)", "pip 24.0"),
    _version("./gradlew --version", "\n------------------------------------------------------------\nGradle 8.7\n------------------------------------------------------------", "Gradle 8.7"),
    _version("mvn -v", "Apache Maven 3.9.6 (bc0240f3c744dd6b6ec2920b3cd08dcc295161ae)", "Maven 3.9.6"),
    _version("cmake --version", "cmake version 3.29.3", "CMake 3.29.3"),
    _version("uv run pytest --version", "pytest 8.2.1", "pytest 8.2.1"),
    _version("npx vitest --version", "vitest/1.6.0 linux-x64 node-v20.11.0", "Vitest 1.6.0"),
    _version("npx jest --version", "29.7.0", "Jest 29.7.0"),
    _version("ruff --version", "ruff 0.4.4", "ruff 0.4.4"),
    _version("mypy --version", "mypy 1.10.0 (compiled: yes)", "mypy 1.10.0"),
    _version("golangci-lint --version", "golangci-lint has version 1.58.1 built with go1.22.3", "golangci-lint 1.58.1"),
    _version("terraform version", "Terraform v1.8.3\non darwin_arm64", "Terraform 1.8.3"),
    _version("helm version", 'version.BuildInfo{Version:"v3.14.4", GitCommit:"81c902a"}', "Helm 3.14.4"),
    _version("psql --version", "psql (PostgreSQL) 16.3", "PostgreSQL 16.3"),
    _version("mysql --version", "mysql  Ver 8.4.0 for macos14.4 on arm64", "MySQL 8.4.0"),
    _version("sqlite3 --version", "3.45.3 2024-04-15 13:34:05 8653b758870e6ef0c98d46b3ace27849", "SQLite 3.45.3"),
    _version("redis-cli --version", "redis-cli 7.2.4", "Redis 7.2.4"),
    _version("uv run pytest -q tests", "platform linux -- Python 3.12.3, pytest-8.2.1, pluggy-1.5.0\n38 passed", "Python 3.12.3", "pytest 8.2.1"),
    _version("npx vitest run", "\x1b[1m\x1b[46m RUN \x1b[49m\x1b[22m \x1b[36mv1.6.0 \x1b[39m\x1b[90m/srv/tide\x1b[39m\n\n 6 passed", "Vitest 1.6.0"),
    _version("npm run dev", "  VITE v5.2.11  ready in 312 ms\n\n  ➜  press h + enter to show help", "Vite 5.2.11"),
    _version("pnpm build", "vite v5.2.11 building for production...", "Vite 5.2.11"),
    _version("pnpm dev", "   ▲ Next.js 14.2.3\n   - ready", "Next.js 14.2.3"),
    _version("node scripts/tide.js", "ReferenceError: ebb is not defined\n\nNode.js v20.11.0", "Node.js 20.11.0"),
    _version("nvm use", "Found '/srv/tide/.nvmrc' with version <20>\nNow using node v20.11.0 (npm v10.2.4)", "Node.js 20.11.0"),
    _version("uv sync", "Using CPython 3.12.3\nCreating virtual environment at: .venv", "Python 3.12.3"),
    _version("vendor/bin/phpunit", "PHPUnit 11.1.3 by Sebastian Bergmann and contributors.\n\nRuntime:       PHP 8.3.7", "PHP 8.3.7", "PHPUnit 11.1.3"),
    _version("python manage.py runserver", "Django version 5.0.6, using settings 'tide.settings'", "Django 5.0.6"),
    _version("bin/rails server", "=> Booting Puma\n=> Rails 7.1.3 application starting in development", "Rails 7.1.3"),
    _version("gradle build", "Welcome to Gradle 8.7!\n\nBUILD SUCCESSFUL in 4s", "Gradle 8.7"),
    _none("docker run --rm python:3.9 python --version", "Python 3.9.19", "of a container"),
    _none("ssh nas python3 --version", "Python 3.8.10", "of another machine"),
    _none("gh run view 17 --log", "platform linux -- Python 3.9.19, pytest-7.4.0, pluggy-1.5.0", "of a run elsewhere"),
    _none("cat ci.log", "platform linux -- Python 3.9.19, pytest-7.4.0, pluggy-1.5.0", "read, and not run"),
    _none("tox", "platform linux -- Python 3.9.19, pytest-8.2.1, pluggy-1.5.0\nplatform linux -- Python 3.12.3, pytest-8.2.1, pluggy-1.5.0", "a matrix of versions"),
    _none("uv run --python 3.9 pytest", "platform linux -- Python 3.9.19, pytest-8.2.1, pluggy-1.5.0", "told which to take"),
    _none("node -v; cat notes.txt", "v20.11.0\n10.2.4\nmore", "no telling which line is whose"),
    _none("cd /tmp/try && python3 --version", "Python 3.9.2", "outside of the project"),
    _none("python --version", "bash: python: command not found", "there is none"),
)  # fmt: skip

COMMITS = (
    ObservedExample("git commit -m 'feat(tide): show the ebb'", "[ebb 1a2b3c4] feat(tide): show the ebb\n 1 file changed, 2 insertions(+)", ((COMMIT, "feat(tide): show the ebb", ""), (BRANCH, "ebb", None))),
    ObservedExample('git add -A && git commit -m "$(cat <<\'EOF\'\nTIDE-7 Count berths\n\nThey were counted twice.\n\nSigned-off-by: Ada <ada@example.com>\nEOF\n)" | tail -1', " 3 files changed, 40 insertions(+)", ((COMMIT, "TIDE-7 Count berths", "Signed-off-by"),)),
    ObservedExample("git commit -q -s -F - <<'EOF'\nberth: name the quay\n\nAs the map does.\nEOF", "", ((COMMIT, "berth: name the quay", "Signed-off-by"),)),
    ObservedExample("git commit -qam 'Say when the tide turns' && git log -1 --oneline", "91d07aa Say when the tide turns", ((COMMIT, "Say when the tide turns", ""),)),
    ObservedExample("git log --oneline -3 --decorate", "c03d5e8 (HEAD -> main, origin/main) fix: close the lock\n7c1e9d2 docs: draw the harbour\n0aa11bb Merge pull request #4 from harbour/ebb-chart", ((COMMIT, "fix: close the lock", None), (COMMIT, "docs: draw the harbour", None), (BRANCH, "ebb-chart", None))),
    ObservedExample("git log -1", "commit 1f2e3d4c5b6a79880f1e2d3c4b5a69788f7e6d5c\nAuthor: Ada <ada@example.com>\nDate:   Mon Mar 2 09:00:00 2026\n\n    Sound the horn\n\n    Twice.", ((COMMIT, "Sound the horn", None),)),
    _none("git commit -m 'wip: lint'", "lint failed: 2 problems", "the hook refused it"),
    _none("git log --oneline | grep fix", "c03d5e8 fix: close the lock", "a search shows no fair share"),
    _none("git log --oneline --author=ada", "c03d5e8 fix: close the lock", "a search shows no fair share"),
    _none("cd /tmp/try && git init -q && git commit -qm 'feat: try'", "", "outside of the project"),
    _none("git -C /srv/other log --oneline", "c03d5e8 fix: close the lock", "of another repository"),
    _none('git commit -qm "$(cat message.txt)"', "", "what it says is not known"),
)  # fmt: skip

BRANCHES = (
    ObservedExample("git checkout -b feat/ebb", "Switched to a new branch 'feat/ebb'", ((BRANCH, "feat/ebb", None),)),
    ObservedExample("git switch -c ada/TIDE-7-berths origin/main", "branch 'ada/TIDE-7-berths' set up to track 'origin/main'.", ((BRANCH, "ada/TIDE-7-berths", None), (MAIN, "main", None))),
    ObservedExample("git worktree add -b fix/lock ../lock", "Preparing worktree (new branch 'fix/lock')", ((BRANCH, "fix/lock", None),)),
    ObservedExample("git push -u origin feat/ebb", "To github.com:harbour/tide.git\n * [new branch]      feat/ebb -> feat/ebb", ((BRANCH, "feat/ebb", None), (REMOTE, "github.com/harbour/tide", "origin"))),
    ObservedExample("git fetch origin && git rebase origin/master", "Successfully rebased and updated refs/heads/ebb.", ((MAIN, "master", None),)),
    ObservedExample("git push origin main", "Everything up-to-date", ((MAIN, "main", None),)),
    ObservedExample("git remote -v", "origin\thttps://ada:pass@git.example.com/harbour/tide.git (fetch)\norigin\thttps://ada:pass@git.example.com/harbour/tide.git (push)", ((REMOTE, "git.example.com/harbour/tide", "origin"),)),
    ObservedExample("git remote get-url upstream", "git@github.com:tides/tide.git", ((REMOTE, "github.com/tides/tide", "upstream"),)),
    _none("git checkout -b claude/fix-17", "Switched to a new branch 'claude/fix-17'", "an agent's own name"),
    _none('git checkout -b "$NAME"', "Switched to a new branch 'feat/x'", "known as it runs"),
    _none("git checkout -b feat/ebb", "fatal: a branch named 'feat/ebb' already exists", "was not made"),
    _none("git branch -d feat/ebb", "Deleted branch feat/ebb (was 1a2b3c4).", "removed, and not made"),
    _none("git remote -v", "origin\t/srv/git/tide.git (fetch)\norigin\t/srv/git/tide.git (push)", "a folder"),
    _none("git clone https://github.com/other/boat", "Cloning into 'boat'...", "another repository"),
)  # fmt: skip

PORTS = (
    ObservedExample("PORT=3100 npm run dev", "> tide@1.0.0 dev\nstarted", ((PORT, "3100", "npm run dev"),)),
    ObservedExample("uvicorn tide:app --port 8100", "INFO:     Uvicorn running on http://127.0.0.1:8100 (Press CTRL+C to quit)", ((PORT, "8100", "uvicorn"),)),
    ObservedExample("curl -s http://localhost:8080/health", '{"status":"ok"}', ((PORT, "8080", None),)),
    ObservedExample("psql -h localhost -p 5544 -c 'select 1'", " ?column?\n----------\n        1", ((PORT, "5544", "postgres"),)),
    ObservedExample("docker run -d --name db -e POSTGRES_DB=tide -p 5433:5432 postgres:16-alpine", "0f1e2d3c4b5a", ((PORT, "5433", "postgres"),)),
    ObservedExample("docker compose up -d db worker", " Container tide-db-1  Started", ((SERVICE, "db", "docker compose"), (SERVICE, "worker", "docker compose"))),
    ObservedExample("docker compose -f compose.dev.yaml exec -T -e LEVEL=1 api bin/tide level", "1.4", ((SERVICE, "api", "docker compose"),)),
    ObservedExample("sudo systemctl restart tide.service && journalctl -u tide -n 20", "started", ((SERVICE, "tide", "systemd"),)),
    _none("curl -s http://localhost:8080/health || true", "curl: (7) Failed to connect to localhost port 8080", "nobody listens there"),
    _none("curl -s https://tide.example.com:8443/health", "ok", "on another machine"),
    _none("npm test", "listening on http://localhost:45123", "a port that a test was given"),
    _none("ssh nas 'systemctl restart tide'", "", "on another machine"),
    _none("grep -rn 'localhost:8080' .", "README.md:4: http://localhost:8080", "read, and not used"),
    _none("docker compose up -d", " Container tide-db-1  Started", "names no service"),
)  # fmt: skip

SYSTEMS = (
    ObservedExample("uname -a", "Darwin quay.local 23.5.0 Darwin Kernel Version 23.5.0 arm64", ((SYSTEM, "macOS", None),)),
    ObservedExample("sw_vers", "ProductName:\t\tmacOS\nProductVersion:\t\t14.5", ((SYSTEM, "macOS", None),)),
    ObservedExample("uname -r -s", "Linux 5.15.153.1-microsoft-standard-WSL2", ((SYSTEM, "WSL", None),)),
    ObservedExample("uname", "MINGW64_NT-10.0-22631", ((SYSTEM, "Windows", None),)),
    _none("uname -s", "Linux", "may be a container's"),
    _none("docker run --rm alpine uname -a", "Linux 0f1e2d3c4b5a 6.6.0-microsoft-standard-WSL2 x86_64", "of a container"),
)  # fmt: skip

EXAMPLES = (*VERSIONS, *COMMITS, *BRANCHES, *PORTS, *SYSTEMS)
