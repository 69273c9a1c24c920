"""Which commands do which task of a project: one table of programs, one of words of targets.

A task is one of TASKS. A command that sets something up (a migration, a database) has SETUP, which
is no task. Each entry of PROGRAM_TASKS stands for words that a person types: `cargo clippy`.
"""

# ruff: noqa: E501, SIM905  (a table is easier to read where it is not broken, words without quotes)

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from cairn.knowledge.dialogue.shortcuts.commands import LINTERS, TESTERS
from cairn.knowledge.nlp.text import words

TASKS = (
    "test", "lint", "format", "type_check", "build", "run", "install", "deploy", "commit", "release",
)  # fmt: skip
SETUP = "setup"
"""What a command does that prepares something and is no task."""


_ASKED = {
    "test": "test tests tested testing",
    "lint": "lint linter linting linted",
    "format": "format formats formatted formatting formatter",
    "type_check": "type-check typecheck type-checked typechecker type-checker",
    "build": "build builds built building compile compiled",
    "run": "start started serve",
    "install": "install installed installing dependencies",
    "deploy": "deploy deploys deployed deploying deployment",
    "commit": "commit commits committed committing",
    "release": "release releases released releasing",
}
_TASK_OF_WORD = {word: task for task, named in _ASKED.items() for word in named.split()}


def tasks_named(text: str) -> list[str]:
    """Tasks whose words stand in a text, in the order of TASKS; `run` alone names none."""
    named = {_TASK_OF_WORD.get(word) for word in words(text)}
    return [task for task in TASKS if task in named]


def _by(**names: str) -> dict[str, str]:
    return {name: task for task, words in names.items() for name in words.split()}


def _each(programs: str, table: dict[str, str]) -> dict[str, dict[str, str]]:
    return dict.fromkeys(programs.split(), table)


_SCRIPTS = "*"
"""Where a program runs targets by their names: any operand is read as one."""

_NPM = _by(test="test t tst", install="install i ci add", release="publish version", run="start") | {
    "run": _SCRIPTS, "run-script": _SCRIPTS,
}  # fmt: skip
_COMPOSE = _by(build="build", run="up")

PROGRAM_TASKS: Mapping[str, Mapping[str, str]] = {
    "go": _by(test="test", lint="vet", build="build generate", run="run", format="fmt", install="install get")
    | {"mod tidy": SETUP, "mod download": "install"},
    "cargo": _by(
        test="test t nextest bench", lint="clippy audit deny", type_check="check c", build="build b",
        run="run r", format="fmt", install="install add fetch", release="publish",
    ),
    "npm": _NPM,
    "pnpm": _NPM | {"*": _SCRIPTS},
    "yarn": _NPM | {"": "install", "*": _SCRIPTS},
    "bun": _NPM | {"*": _SCRIPTS},
    "deno": _by(test="test", lint="lint", format="fmt", type_check="check", run="run", install="install cache", deploy="deploy")
    | {"task": _SCRIPTS},
    **_each("pip pip3 pipx mamba apt apt-get dnf", _by(install="install")),
    "uv": _by(install="sync add", setup="lock", build="build", release="publish")
    | {"pip install": "install", "pip sync": "install", "tool install": "install"},
    "poetry": _by(install="install add update", build="build", release="publish", lint="check"),
    "pdm": _by(install="install add sync", build="build", release="publish") | {"run": _SCRIPTS},
    "pipenv": _by(install="install sync"),
    "hatch": _by(test="test", format="fmt", build="build", release="publish") | {"run": _SCRIPTS},
    "conda": _by(install="install") | {"env create": "install"},
    "rye": _by(install="sync add", test="test", lint="lint", format="fmt", build="build", release="publish"),
    "ruff": _by(lint="check", format="format"),
    "pre-commit": _by(lint="run", install="install"),
    "vale": _by(install="sync") | {"": "lint"},
    **_each("make gmake", {"": "build", "*": _SCRIPTS}),
    **_each("just task poe invoke gradle gradlew sbt", {"*": _SCRIPTS}),
    "mise": {"run": _SCRIPTS, "r": _SCRIPTS, **_by(install="install i")},
    "nox": {"": "test", "*": _SCRIPTS},
    **_each("turbo nx", {"run": _SCRIPTS, "*": _SCRIPTS}),
    "rake": _by(setup="db:migrate db:create db:setup db:seed") | {"*": _SCRIPTS},
    **_each("mvn mvnw", {"spring-boot:run": "run", "install": "build", "*": _SCRIPTS}),
    "lein": {"deps": "install", "*": _SCRIPTS},
    "mix": _by(
        test="test", format="format", lint="credo sobelow", type_check="dialyzer", build="compile assets.build release",
        install="deps.get deps.compile", run="phx.server", setup="ecto.migrate ecto.create ecto.setup ecto.reset ash.setup ash.migrate",
    )
    | {"*": _SCRIPTS},
    "dotnet": _by(test="test", build="build publish pack", run="run watch", install="restore", format="format")
    | {"add package": "install"},
    "bundle": _by(install="install update add"),
    "rails": _by(test="test", run="server s", setup="db:migrate db:setup db:create"),
    "gem": _by(install="install", build="build", release="push"),
    "composer": _by(install="install require update") | {"run": _SCRIPTS, "*": _SCRIPTS},
    "artisan": _by(test="test", run="serve", setup="migrate"),
    "xcodebuild": {"": "build", "test": "test", "build": "build"},
    "flutter": _by(test="test", lint="analyze", build="build", run="run") | {"pub get": "install"},
    "dart": _by(test="test", lint="analyze", format="format", run="run") | {"pub get": "install"},
    "zig": _by(test="test", build="build", format="fmt") | {"build test": "test", "build run": "run"},
    "forge": _by(test="test coverage", build="build", format="fmt", install="install"),
    "gleam": _by(test="test", build="build", run="run", format="format", type_check="check", install="deps"),
    "nix": _by(build="build", run="run") | {"flake check": "test", "fmt": "format"},
    **_each("nixos-rebuild darwin-rebuild home-manager", _by(deploy="switch")),
    "pod": _by(install="install"),
    "pixi": _by(install="install add") | {"run": _SCRIPTS},
    "elm-test": {"": "test"},
    "taplo": _by(format="fmt format", lint="lint check"),
    **_each("stack cabal bazel bazelisk swift", _by(test="test", build="build", run="run")),
    "dune": _by(test="test runtest", build="build", format="fmt"),
    **_each("cmake tsup webpack rollup esbuild latexmk pdflatex tsc build", {"": "build"}),
    "ninja": {"": "build", "test": "test", "install": "install"},
    "meson": _by(test="test", build="compile", setup="setup"),
    "docker": _by(build="build", deploy="push")
    | {f"compose {name}": task for name, task in _COMPOSE.items()} | {"buildx build": "build"},
    "docker-compose": _COMPOSE,
    "podman": _by(build="build", deploy="push"),
    "kubectl": _by(deploy="apply"),
    "helm": _by(deploy="install upgrade", lint="lint"),
    **_each("terraform tofu", _by(install="init", lint="validate", format="fmt", deploy="apply")),
    "pulumi": _by(deploy="up"),
    "ansible-playbook": {"": "deploy"},
    **_each("flyctl fly netlify firebase serverless kamal cdk", _by(deploy="deploy")),
    "vercel": {"": "deploy", "deploy": "deploy"},
    "wrangler": _by(deploy="deploy publish", run="dev"),
    "cap": {"production deploy": "deploy", "staging deploy": "deploy"},
    "twine": _by(release="upload"),
    "goreleaser": _by(release="release", build="build", lint="check"),
    "semantic-release": {"": "release"},
    "git": _by(commit="commit", release="tag"),
    **_each("gh glab", {"release create": "release"}),
    "alembic": _by(setup="upgrade"),
    "prisma": {"migrate": SETUP, "generate": SETUP},
    "playwright": _by(test="test", install="install"),
    "cypress": _by(test="run"),
    "storybook": _by(run="dev", build="build"),
    "vite": {"": "run", "dev": "run", "build": "build", "preview": "run"},
    "next": _by(run="dev start", build="build", lint="lint"),
    "nuxt": _by(run="dev start", build="build"),
    "lerna": {"run": _SCRIPTS, "publish": "release", "version": "release", "bootstrap": "install"},
    "changeset": _by(release="version publish"),
    "expo": _by(run="start run:ios run:android run:web", build="prebuild export", lint="lint", install="install"),
    "expo-doctor": {"": "lint"},
    **_each("eas eas-cli", _by(build="build", release="submit", deploy="update deploy")),
    "react-native": _by(run="start run-ios run-android", build="bundle build-ios build-android"),
    "ng": _by(test="test e2e", build="build", run="serve", lint="lint", deploy="deploy"),
    "tauri": _by(run="dev", build="build"),
    "gatsby": _by(run="develop serve", build="build"),
    "docusaurus": _by(run="start serve", build="build", deploy="deploy"),
    "sst": _by(run="dev", deploy="deploy"),
    "sam": _by(build="build", deploy="deploy"),
    "astro": _by(run="dev", build="build", type_check="check"),
    "flask": _by(run="run", setup="db"),
    "streamlit": _by(run="run"),
    **_each("uvicorn gunicorn", {"": "run"}),
    "fastapi": _by(run="dev run"),
    "manage.py": _by(test="test", run="runserver", lint="check", setup="migrate makemigrations"),
    "mkdocs": _by(build="build", run="serve", deploy="gh-deploy"),
    "hugo": {"": "build", "server": "run", "serve": "run"},
    "apk": _by(install="add"),
    "brew": _by(install="install bundle"),
    "golangci-lint": _by(lint="run", format="fmt"),
    "buf": _by(lint="lint", build="generate", format="format"),
    "biome": _by(lint="check lint ci", format="format"),
    "sqlfluff": _by(lint="lint", format="fix format"),
    "unittest": {"": "test"},
}  # fmt: skip
"""Program -> its words -> task: "" where it stands alone, "*" for any other operand."""

_TYPE_CHECKERS = frozenset(
    "mypy pyright basedpyright vue-tsc svelte-check ty pytype flow dialyzer srb psalm phpstan".split()
)
_FORMATTERS = frozenset(
    "black isort gofmt goimports gofumpt rustfmt prettier dprint yapf autopep8 shfmt clang-format swiftformat stylua ormolu fourmolu djlint scalafmt google-java-format leptosfmt nixfmt alejandra terraform-fmt".split()
)
_NO_PROGRAMS = frozenset("test tap lint vet check standard safety audit typecheck type-check coverage robot reuse playwright cypress xcodebuild storybook prove t".split())  # fmt: skip
"""Names of checks that are the shell's own or mean something else where they stand alone."""

_CHECK_ONLY = re.compile(
    r"--(?:check|check-formatted|check-only|list-different|verify|verify-no-changes|dry-run|diff)$|-(?:l|d|c|check)$"
)
"""How a formatter is told to change nothing."""

_TARGET_WORDS: Mapping[str, str] = _by(
    test="test tests testing spec specs e2e unit integration coverage pytest jest vitest cypress playwright",
    type_check="typecheck types typing tsc mypy pyright basedpyright dialyzer",
    lint="lint lints linting linter eslint ruff clippy vet credo golangci rubocop flake8 stylelint shellcheck detekt ktlint checkstyle quality precommit verify check checks",
    format="fmt format formatting prettier black spotless",
    build="build compile bundle dist package assemble assets",
    run="start serve server dev preview up",
    install="install setup bootstrap deps dependencies",
    deploy="deploy",
    release="release publish",
)
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_CHECKING = frozenset({"check", "checks", "verify"})


@lru_cache(maxsize=4096)
def target_task(name: str) -> str | None:
    """The task that a target, a script or a job of this name does; None if its words tell none.

    The first word that tells decides: `test:lint` tests, `lint:fix` lints. A format that is only
    checked is a lint. What has white space in it is code or a message, and names nothing.
    """
    if len(name.split()) > 1:
        return None
    words = [word.lower() for word in _WORD.findall(name)]
    joined = "".join(words)
    if joined.startswith(("typecheck", "checktypes")):
        return "type_check"
    told = [(_TARGET_WORDS[word], word) for word in words if word in _TARGET_WORDS]
    plain = [task for task, word in told if word not in _CHECKING]
    if plain and plain[0] == "format" and len(plain) < len(told):
        return "lint"
    return plain[0] if plain else told[0][0] if told else None


def task_of(words: Sequence[str]) -> tuple[str, int] | None:
    """The task of a command, or SETUP, and how many of its words say so.

    Args:
        words: Program without its folder, and what follows; options may stand anywhere.

    Returns:
        Task and the index behind the last word that tells it, None if it does none.
    """
    if not words or not words[0]:
        return None
    name = words[0]
    if {"--version", "--help", "-h", "help", "-V"} & set(words[1:]):
        return None
    operands = [
        (at, word)
        for at, word in enumerate(words)
        if at and not word.startswith(("-", "+")) and words[at - 1] not in _WITH_VALUE
    ]
    if name in PROGRAM_TASKS:
        return _by_table(name, words, operands)
    if name == "node" and "--test" in words:
        return "test", words.index("--test") + 1
    if words[1:] == ["version"]:
        return None
    if name in _FORMATTERS:
        return ("lint" if any(_CHECK_ONLY.match(word) for word in words[1:]) else "format"), 1
    if name in _TYPE_CHECKERS:
        return "type_check", 1
    if name in LINTERS and name not in _NO_PROGRAMS:
        return "lint", 1
    if name in TESTERS and name not in _NO_PROGRAMS:
        return "test", 1
    return None


def _by_table(
    name: str, words: Sequence[str], operands: Sequence[tuple[int, str]]
) -> tuple[str, int] | None:
    table = PROGRAM_TASKS[name]
    if name == "git":
        return _of_git(table, words, operands)
    if name in ("gradle", "gradlew", "mvn", "mvnw", "make", "gmake", "sbt"):
        return _of_targets(name, table, operands)
    if name == "cmake":
        return ("build", 1) if {"--build", "-B", "-S"} & set(words) else None
    if name == "tsc" and "--noEmit" in words:
        return "type_check", 1
    for at, (index, word) in enumerate(operands[:3]):
        two = f"{word} {operands[at + 1][1]}" if at + 1 < len(operands) else ""
        if two and two in table:
            return table[two], operands[at + 1][0] + 1
        found = table.get(word)
        if at == 0 and name == "bun" and found is None and _FILE.search(word):
            return None  # `bun index.ts` runs a file, and no script of that name
        if at == 0 and name in ("bun", "npm") and word in ("x", "exec"):
            started = task_of(words[index + 1 :])
            return (started[0], started[1] + index + 1) if started else None
        if at == 0 and found is None and name in _STARTS_PROGRAMS:
            started = task_of(words[index:])
            if started:
                return started[0], started[1] + index
        if found == _SCRIPTS:
            target = operands[at + 1] if at + 1 < len(operands) else None
            task = target_task(target[1]) if target else None
            if target and task is None and name in _STARTS_PROGRAMS:
                started = task_of(words[target[0] :])
                return (started[0], started[1] + target[0]) if started else None
            return (task, target[0] + 1) if task and target else None
        if found:
            return _checked(found, words), index + 1
        if at == 0 and table.get("*") == _SCRIPTS:
            task = target_task(word)
            return (task, index + 1) if task else None
        if not words[index - 1].startswith("-"):
            break  # what stands behind an option may be its value; anything else names the work
    if "" in table and (not operands or name in _ALONE):
        return table[""], 1
    return None


_FILE = re.compile(r"/|\.\w{1,4}$")
_WITH_VALUE = frozenset(
    "-C --filter --prefix --cwd -w --workspace -f --file --project-name --env-file -H --context --config -F --directory "
    "--manifest-path --project-directory --tests --profile --kubeconfig --namespace -chdir -scheme -destination -c --target-dir".split()
)
"""Options that stand before what a program is to do, and take the next word."""

_STARTS_PROGRAMS = frozenset({"pnpm", "yarn", "bun"})
"""Package managers that start what a package brings by its name: `yarn next build`."""

_ALONE = frozenset(
    "uvicorn gunicorn tsc tsup webpack rollup esbuild latexmk pdflatex ninja ansible-playbook unittest build vite vale".split()
)
"""Programs that do their task whatever they are given."""


def _checked(task: str, words: Sequence[str]) -> str:
    """A format that only looks is a lint."""
    only = task == "format" and any(_CHECK_ONLY.match(word) for word in words if len(word) > 2)
    return "lint" if only else task


def _of_git(
    table: Mapping[str, str], words: Sequence[str], operands: Sequence[tuple[int, str]]
) -> tuple[str, int] | None:
    at, verb = next(
        ((at, word) for at, word in operands if words[at - 1] not in ("-C", "-c")), (0, "")
    )
    if verb == "tag":
        # A release has a number: `git tag`, `-l`, `-d` and `--list` look or remove, others mark.
        named = any(index > at and re.search(r"\d|\$", word) for index, word in operands)
        looks = {"-l", "--list", "-d", "--delete", "-n", "--contains", "--points-at", "--sort"}
        if not named or any(word.partition("=")[0] in looks for word in words):
            return None
    return (table[verb], at + 1) if verb in table else None


def _of_targets(
    name: str, table: Mapping[str, str], operands: Sequence[tuple[int, str]]
) -> tuple[str, int] | None:
    """Of programs that are given several targets: the last that tells decides, `clean test` tests."""
    targets = [(at, word) for at, word in operands if "=" not in word]
    for at, word in reversed(targets):
        goal = word.rsplit(":", 1)[-1] if name in ("gradle", "gradlew") else word
        if name == "make" and goal == "check":
            return "test", at + 1
        if name in ("mvn", "mvnw", "gradle", "gradlew") and goal in ("verify", "check"):
            return "test", at + 1
        task = table.get(goal) if goal not in ("", "*") else None
        task = task if task and task != _SCRIPTS else target_task(goal)
        if task:
            return task, at + 1
    return (table[""], 1) if not targets and "" in table else None
