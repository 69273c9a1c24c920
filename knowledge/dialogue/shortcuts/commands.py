"""What a command line tells a check to leave out, to take as given, or to try until it passes.

Options are read by their words, so that `--updateSnapshot`, `--snapshot-update` and
`UPDATE_SNAPSHOTS=1` are one; and only where a check is run, so that `pip install --upgrade` is none.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from cairn.knowledge.nlp.shell.parser import commands


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Weakening(NamedTuple):
    """The kind of shortcut that an option or a setting of a check is, and how it is written."""

    kind: str
    told: str


LINTERS = _names(
    "ruff flake8 pylint mypy pyright basedpyright eslint tslint biome oxlint stylelint prettier tsc vue-tsc black isort bandit semgrep shellcheck "
    "hadolint yamllint markdownlint markdownlint-cli2 rubocop standardrb brakeman reek golangci-lint staticcheck govulncheck gosec ktlint detekt "
    "swiftlint checkstyle phpstan psalm phpcs trivy grype snyk gitleaks trufflehog pip-audit safety codespell vale ansible-lint tflint checkov tfsec "
    "kube-linter buf sqlfluff pre-commit commitlint cspell djlint dprint clippy vet audit credo dialyzer knip depcheck vulture pydocstyle clang-tidy "
    "cppcheck osv-scanner hlint xo standard jshint typos reuse lychee actionlint zizmor luacheck selene lint typecheck type-check"
)
TESTERS = _names(
    "pytest py.test unittest nose2 tox nox jest vitest mocha ava karma cypress playwright rspec minitest cucumber behave phpunit pest nextest bats ctest "
    "testcafe wdio nightwatch newman schemathesis tap tape jasmine coverage nyc c8 storybook percy chromatic backstop lhci robot xcodebuild parallel_test "
    "test-storybook k6 trybuild prove busted ginkgo gotestsum pabot stestr zope-testrunner test"
)
_COMMON = _names("test lint typecheck type-check audit vet coverage standard safety prove tap")
"""Names of checks that are words of other things, too: they count as scripts of a launcher."""

_SCRIPT = re.compile(
    r"(?i)(?:[\w.]+[:_-])*(?:tests?|lint|checks?|typecheck|types|specs?|e2e|verify|audit|validate|coverage|vet|snapshots?|goldens?|analy[sz]e|ci|surefire|failsafe|t)(?:[:_-][\w.]+)*"
)
_LAUNCHERS = _names(
    "make gmake mise npm yarn pnpm bun npx bunx cargo go gradle gradlew mvn mvnw rake mix just task dotnet deno swift composer bazel bazelisk sbt rails "
    "nx turbo lerna invoke poe hatch pdm poetry uv bundle python python3 manage.py dart flutter zig stack cabal meson ninja lein clj moon buck2 pants "
    "docker docker-compose podman php node ruby corepack rebar3 gulp grunt earthly dagger dune forge gleam terraform tofu"
)
_NOT_CHECKS = _names(
    "git gh hg echo printf cat ls cd rm mkdir cp mv touch grep rg sed awk find head tail which type export pip pip3 pipx apt apt-get brew dnf yum apk "
    "pacman conda mamba gem kubectl helm ssh scp rsync tar curl wget code vim nano man"
)
_INSTALLS = _names(
    "install i add ci uninstall remove upgrade update sync lock download pull push publish login init create new generate"
)

_OPTION = re.compile(r"(?:-[DP](?=[a-z])|--?|/)([A-Za-z][\w.:-]*)(?:=(.*))?", re.DOTALL)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HIDES = re.compile(r"\|\|\s*(?:echo|printf)\b|(?:^|[;&|]\s*)!\s+\w+")
"""What is done about a check that fails, so that the line does not."""

_GIVES_OPTIONS = re.compile(
    r"(?i)\W*\w*(?:addopts|args|options|flags|opts)\b[\"']?\s*[:=]|(?=--?\w)"
)
_KEY = re.compile(r"^\W*(?:[\w:.*@-]+[\"']?\s*[:=](?!=)\s*)?")
_QUOTES = re.compile(r"[\"',\[\]{}]")
_SUFFIX = re.compile(r"(?:[-.]?js|\.cmd|\.exe|\.phar|-?\d+(?:\.\d+)*)$")
_SETTING = re.compile(r"(?<![\w$./-])([A-Za-z][A-Za-z0-9_]*)=(\"[^\"]*\"|'[^']*'|[^\s;&|]*)")
_UNSET = frozenset({"", "0", "false", "no", "off", "never", "none"})
_OFF = frozenset({"false", "no", "off", "0", "none", "never", "disable", "disabled"})

_REWRITES = _names(
    "update updates updated overwrite regenerate regen rebaseline bless accept approve promote rewrite threshold tolerance thresholds"
)
_LEAVES_OUT = _names(
    "ignore ignores ignored exclude excludes excluded exclusion skip skipped deselect disable disabled suppress except omit invert baseline allowlist "
    "noqa xfail todo"
)
_RECORDS = _names("all rewrite overwrite new_episodes once")
_RETRIES = _names("retries retry reruns rerun flake")
_HARMLESS = re.compile(
    r"(?i)^no[-_]?ignore|ignore-(?:case|scripts|installed|engines|submodules)|skip-(?:build|install|db|download|bundle|migrations?|setup|generate)"
    r"|update-(?:notifier|env|deps)|rerun-(?:triggers|failed|incomplete)|telemetry|notifier|analytics|color|cache|spring|puppeteer_skip|download"
    r"|auto_?update|skip_?(?:build|env)|install|warn-unused-ignores?|disable-(?:socket|ansi|interactive|cursor)|exclude-standard"
    r"|(?:retry|rerun|retries)-(?:delay|backoff)"
)
_NO_CHECK = re.compile(
    r"(?i)no-?(?:cov(?:erage)?|tests?|lint|checks?|type-?check|types|verify|audit|validation|strict[\w-]*|fail[\w-]*|eslintrc|config(?:-lookup|test)?|vet|emit-?on-?error"
    r"|exit-code|warn[\w-]*|git|integration|unit|e2e|doc-?tests?|thresholds?)|auto-gen-config"
)
_LEVELS = _names(
    "severity audit-level fail-level fail-on min-alert-level minalertlevel max-warnings maxwarnings fail-threshold fail-under level diagnostic-level"
)
_FILTERS = re.compile(
    r"(?i)--?(?:m|k|t|g|tags?|filter|filter-tags|grep|run|select|markers?|where|testNamePattern|test-name-pattern|test_tag_filters|match|projects?|pl|tests?|only|group"
    r"|file|testPathPattern|spec|example|e|include|package|matcher|scenario|suite|short|changed|onlyChanged|lf|last-failed|smoke)"
)
_NOT = re.compile(r"\s*[\"'(]*\s*(?:not[\s(]|~|!|-\w)|[!]=|\bnot\s")
_NEGATABLE = re.compile(
    r"(?i)(?:--?|-[DP])(?:m|k|t|g|tags?|filter|filter-tags|grep|run|select|markers?|where|testNamePattern|test_tag_filters|match|projects?|pl|tests?|E|groups?|surefire\.groups)"
)
_SHORT_FLAGS: dict[str, re.Pattern[str]] = {
    "clippy": re.compile(r"-A.*|--allow|--cap-lints"), "rustc": re.compile(r"-A.*|--cap-lints"),
    "pylint": re.compile(r"-d"), "shellcheck": re.compile(r"-[eS].*"), "bandit": re.compile(r"-s|-l{2,3}|-i{2,3}"),
    "ansible-lint": re.compile(r"-[xw]"), "safety": re.compile(r"-i"), "ctest": re.compile(r"-L?E"),
    "check": re.compile(r"--allow|-A"),
    "stylelint": re.compile(r"--quiet"), "audit": re.compile(r"--production"), "brakeman": re.compile(r"-x"), "t": re.compile(r"-u"),
    "eslint": re.compile(r"--quiet|--rule"), "mocha": re.compile(r"-i"),
    "pytest": re.compile(r"-W(?:ignore.*)?|-p|-o|--noconftest|-c"), "jest": re.compile(r"-u"),
    "vitest": re.compile(r"-u"), "playwright": re.compile(r"-u"), "test": re.compile(r"-u|-vet=off|-skip"),
    "flake8": re.compile(r"--extend-ignore|--max-.*"), "yamllint": re.compile(r"-d"), "codespell": re.compile(r"-[LSI]"),
    "mypy": re.compile(r"--follow-imports(?:=skip)?|--no-strict-optional|--allow-.*"), "tsc": re.compile(r"--strict|--noEmitOnError|--noImplicitAny"),
    "robot": re.compile(r"--skiponfailure"), "phpcs": re.compile(r"-n"), "hlint": re.compile(r"-i"),
    "vet": re.compile(r"-\w+=false"), "golangci-lint": re.compile(r"-D|--new-from-\w+|--new"),
}  # fmt: skip
_ONLY_IF = {
    ("pytest", "-W"): re.compile(r"ignore"), ("pytest", "-p"): re.compile(r"no:(?!cacheprovider)"),
    ("pytest", "-o"): re.compile(r"addopts|filterwarnings|xfail_strict|markers|testpaths"), ("pytest", "-c"): re.compile(r"/dev/null"),
    ("eslint", "--rule"): re.compile(r"off|warn|\b[01]\b"), ("tsc", "--strict"): re.compile(r"false"),
    ("tsc", "--noEmitOnError"): re.compile(r"false"), ("tsc", "--noImplicitAny"): re.compile(r"false"),
    ("mypy", "--follow-imports"): re.compile(r"skip|silent"), ("yamllint", "-d"): re.compile(r"relaxed|disable"),
}  # fmt: skip
"""Short flags that weaken with some values only."""

_STRICT = re.compile(
    r"-D(?![a-z]+[.=])\w*|--deny|--strict|-W(?:error|all|extra)?|-Werror\S*|--max-warnings=?0?|-race|--cov-fail-under\S*|--fail-under\S*|--strict-\S+"
    r"|--error-exitcode\S*|--exit-code\S*|--check|--frozen\S*|--locked|--fail-on\S*|--warnings-as-errors|--fatal-warnings"
)

_NEGATES = _names(
    "no skip disable disabled ignore without allow bypass insecure unsafe untrusted invalid"
)
_GUARDS: dict[str, str] = {
    **dict.fromkeys(
        _names(
            "verify verification ssl tls cert certs certificate certificates checksum checksums signature signatures gpg hashes sslcheck tlsverify "
            "sslverify revoke revocation tlog trust"
        ),
        "identity_unchecked",
    ),
    **dict.fromkeys(_names("auth authentication authorization sandbox acl csrf"), "access_opened"),
    **dict.fromkeys(_names("security firewall selinux apparmor"), "protection_off"),
    **dict.fromkeys(_names("lint typecheck validation validate scan audit"), "check_silenced"),
    **dict.fromkeys(_names("test tests"), "tests_disabled"),
    **dict.fromkeys(_names("hooks"), "hooks_skipped"),
}


@lru_cache(maxsize=4_096)
def weakenings(line: str) -> frozenset[Weakening]:
    """What a command line tells its checks to leave out, or a guard to let through."""
    found: set[Weakening] = set()
    checked = False
    for command in commands(line):
        words = [word.text for word in command.words]
        found.update(_guards_off(words))
        if tools := _tools(words):
            checked = True
            found.update(_told(words, tools))
    if checked:
        found.update(_settings(line))
        found.update(Weakening("failure_ignored", told) for told in _HIDES.findall(line))
    return frozenset(found)


def of_setting(text: str) -> frozenset[Weakening]:
    """What a line of a configuration tells a check to leave out: a script, or options of one."""
    found = ((words, _tools(words)) for words in _scripts(text))
    told = {one for words, tools in found if tools for one in _told(words, tools)}
    if (hides := _HIDES.search(text)) and checks_of(text):
        told.add(Weakening("failure_ignored", hides[0]))
    return frozenset(told)


def checks_of(text: str) -> frozenset[str]:
    """Names of the checks that a line of a configuration runs."""
    return frozenset(tool for words in _scripts(text) for tool in _tools(words))


def _scripts(text: str) -> Iterator[list[str]]:
    """Words of the commands in a line of a configuration, or of the options that it gives."""
    if options := _GIVES_OPTIONS.match(text):
        yield ["pytest", *_QUOTES.sub(" ", text[options.end() :]).split()]
        return
    plain = _KEY.sub("", text)
    for part in re.split(r"&&|\|\||[;|]", plain):
        words = _QUOTES.sub(" ", part).split()
        yield ["npm", *words] if words[:1] == ["test"] else words


def only_checks(line: str) -> bool:
    """Whether all that a line runs are checks that mend nothing."""
    ran = [[word.text for word in command.words] for command in commands(line)]
    checks = [words for words in ran if _tools(words)]
    others = [words for words in ran if not _tools(words) and words[0] not in _NOT_CHECKS]
    mends = any(_MENDS.search(word) for words in checks for word in words[1:])
    return bool(checks) and not others and not mends


_MENDS = re.compile(r"(?i)(?:^|[:_-])(?:fix\w*|write|format|fmt|update\w*)$|^-[wiu]$|^--in-place")
"""Words with which a check changes what it checks."""


class _Run(NamedTuple):
    """A command: what it runs, which of it, and how strictly."""

    tools: frozenset[str]
    filters: frozenset[str]
    strict: frozenset[str]


def narrowed(failed: Iterable[str], passed: str) -> bool:
    """Whether a check that failed passed with a filter that it had not, or with less strictness."""
    before = [run for line in failed for run in _runs(line)]
    for run in _runs(passed):
        same = [other for other in before if other.tools & run.tools]
        filtered = all(run.filters - other.filters for other in same)
        milder = all(other.strict - run.strict for other in same)
        if same and (filtered or milder):
            return True
    return False


def _runs(line: str) -> Iterator[_Run]:
    for command in commands(line):
        words = [word.text for word in command.words]
        strict = frozenset(word for word in words if _STRICT.fullmatch(word))
        tools = frozenset(_tools(words))
        # Who narrows a linter names rules or files: that is no filter of tests.
        flags = pairwise([*words[1:], ""]) if tools and not tools & LINTERS else ()
        filters = frozenset(
            f"{flag}={value}"
            for flag, value in flags
            if _FILTERS.fullmatch(flag.partition("=")[0]) and not _is_module(words, flag)
        )
        yield _Run(tools or frozenset([" ".join(words[:2])]), filters, strict)


def _is_module(words: Sequence[str], flag: str) -> bool:
    return flag == "-m" and words[0].startswith("python")


def _tools(words: Sequence[str]) -> list[str]:
    """Names of the checks that a command runs; none if it runs none."""
    name = words[0].rsplit("/", 1)[-1] if words else ""
    if name in _NOT_CHECKS:
        return []
    plain = [_named(word) for word in words if not word.startswith("-")]
    if set(plain[1:3]) & _INSTALLS and name in _LAUNCHERS:
        return []
    known = [word for word in plain[:8] if word in (LINTERS | TESTERS) - _COMMON]
    known += [name] if name in _COMMON - {"test"} else []
    scripts = [word for word in plain[1:4] if name in _LAUNCHERS and _SCRIPT.fullmatch(word)]
    own = [name] if name not in TESTERS and _SCRIPT.fullmatch(name.rsplit(".", 1)[0]) else []
    return list(dict.fromkeys([*known, *scripts, *own]))


def _named(word: str) -> str:
    """A program's name without its folder, suffix and version: `pytest-3`, `cucumber-js`."""
    name = word.rsplit("/", 1)[-1]
    return name if name in LINTERS | TESTERS else _SUFFIX.sub("", name)


def _told(words: Sequence[str], tools: Sequence[str]) -> Iterator[Weakening]:
    """Weakening options of a command that runs checks."""
    out = "check_silenced" if set(tools) & LINTERS else "tests_disabled"
    for word, following in pairwise([*words[1:], ""]):
        option = _OPTION.fullmatch(word)
        value = option[2] if option and option[2] is not None else following
        for tool in tools:
            if (flag := _SHORT_FLAGS.get(tool)) and _matches(flag, word):
                only = _ONLY_IF.get((tool, word.partition("=")[0]))
                if only is None or only.search(value):
                    kind = "expectation_edited" if word == "-u" else out
                    yield Weakening(kind, f"{word} {value}" if only else word)
        negatable = _NEGATABLE.fullmatch(word.partition("=")[0]) and not _is_module(words, word)
        if negatable and (_NOT.match(value) or re.search(r"!=|\bnot\b", value)):
            yield Weakening(out, f"{word} {value}")
        if option is None or _HARMLESS.search(option[1]):
            continue
        if "--" in value and option[2] is not None:
            yield from _told(["", *value.split()], tools)
        parts = {part.lower() for part in _PART.findall(option[1])}
        told = word if option[2] is not None else f"{word} {following}"
        if option[2] is not None and option[2].lower() in _UNSET and not parts & _LEAVES_OUT:
            parts = set()
        if parts & _REWRITES or ("record" in parts and value in _RECORDS):
            yield Weakening("expectation_edited", word)
        elif parts & _LEAVES_OUT or _NO_CHECK.fullmatch(option[1]):
            yield Weakening(out, told)
        elif parts & _RETRIES and value not in ("0", "1"):
            yield Weakening("failure_ignored", word)
        elif option[1].lower() in _LEVELS and value not in ("0", "low", "info", "style"):
            yield Weakening("check_silenced", told)


def _matches(flag: re.Pattern[str], word: str) -> bool:
    return bool(flag.fullmatch(word) or flag.fullmatch(word.partition("=")[0]))


def _settings(line: str) -> Iterator[Weakening]:
    """Weakening settings beside a check: `UPDATE_GOLDENS=1`, `RUSTFLAGS='-A warnings'`."""
    for name, raw in _SETTING.findall(line):
        value = raw.strip("\"'")
        parts = {part.lower() for part in _PART.findall(name)}
        if re.search(r"(?i)(?:addopts|opts|options|flags|args)$", name):
            words = ["", *value.split()]
            tool = "clippy" if "rust" in name.lower() else "pytest"
            yield from _told(words, [tool])
        elif name == "PYTHONWARNINGS" and "ignore" in value:
            yield Weakening("check_silenced", name)
        elif value.lower() in _UNSET or _HARMLESS.search(name):
            continue
        elif parts & (_REWRITES | {"record"}) or value.lower() in _REWRITES:
            yield Weakening("expectation_edited", name)
        elif parts & _LEAVES_OUT:
            yield Weakening("tests_disabled", name)
        elif parts & _RETRIES:
            yield Weakening("failure_ignored", name)


def _guards_off(words: Sequence[str]) -> Iterator[Weakening]:
    """Options of any program that switch a guard off: `--no-check-tls`, `--verify=no`."""
    yield from (
        Weakening("hooks_skipped", word)
        for word in words[1:]
        if word.lower().startswith("core.hookspath=")
    )
    for word, following in pairwise([*words[1:], ""]):
        option = _OPTION.fullmatch(word) if word.startswith("--") else None
        if option is None:
            continue
        parts = [part.lower() for part in _PART.findall(option[1])]
        guard = next((_GUARDS[part] for part in parts if part in _GUARDS), None)
        value = (option[2] if option[2] is not None else following).lower()
        if guard and (set(parts) & _NEGATES or value in _OFF):
            yield Weakening(guard, word)
