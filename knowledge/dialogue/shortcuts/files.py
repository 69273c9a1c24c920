"""Files that checks are made of: tests, their data, what they expect, and how checks are set."""

from collections.abc import Iterator
from itertools import pairwise

from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.shell.parser import commands

_TEST_FOLDER = lazy_pattern(
    r"(?i)(?:^|/)(?:(?:unit|integration|functional|acceptance|e2e|system|smoke|regression|ui|api|src)[_-]?)?"
    r"(?:tests?|specs?)/|(?:^|/)(?:__tests__|__mocks__|__fixtures__|testing|testdata|test[-_]data|e2e|cypress"
    r"|unittests?|fixtures|cassettes)/|\.feature$"
)
_TEST_NAME = lazy_pattern(
    r"(?i)(?:^|/)test_[^/]*$|[._-](?:test|tests|spec|specs|cy|e2e)\.\w+$|(?:^|/)(?:conftest|tests?)\.py$"
    r"|(?-i:[a-z](?:Tests?|Spec|IT)\.(?:java|kt|cs|swift|scala|groovy|php|m|fs))$"
)
_EXPECTED = lazy_pattern(
    r"(?i)__snapshots__|__image_snapshots__|\.(?:snap|ambr)(?:\.\w+)?$|(?:^|/)(?:goldens?|expected|snapshots?|baselines?)/"
    r"|\.(?:golden|approved|expected|verified)\b|\.(?:stderr|stdout)$"
)
_EXPECTED_DATA = lazy_pattern(
    r"(?i)[._-](?:expected|golden|snapshot|baseline|reference)\.\w+$|(?:^|/)(?:expected|golden)[_.-][^/]*$"
)
_CODE = lazy_pattern(
    r"(?i)\.(?:pyi?|[cm]?[jt]sx?|vue|svelte|go|rb|exs?|java|kts?|rs|php|cs|fs|c|cc|cpp|cxx|h|hpp|swift|scala|groovy|m|lua"
    r"|dart|jl|r|pl|t|sh|bash|bats|clj|hs|ml|zig|nim|sol|feature)$"
)
_REPORT = lazy_pattern(
    r"(?i)\.(?:log|bak|orig|tmp|pid|html?|xml|cov|prof)$|^/(?:tmp|dev|proc|var/tmp)/|~$"
    r"|(?:^|/)(?:__pycache__|\.?\w*cache|tmp|temp|out(?:put)?s?|results?|reports?|node_modules|coverage|artifacts|screenshots|videos|build|dist|logs?)(?:/|$)"
)
_CHECK_CONFIG = lazy_pattern(
    r"(?i)(?:^|/)(?:pytest\.ini|tox\.ini|noxfile\.py|\.flake8|\.?ruff\.toml|\.?mypy\.ini|\.?pylintrc|pyrightconfig\.json|\.coveragerc|\.rspec"
    r"|\.(?:eslint|stylelint|prettier|commitlint|lintstaged|jshint|remark|depcheck|nyc|c8|mocha|jscpd|textlint|htmlhint|markdownlint|secretlint)(?:rc)?(?:\.\w+)*"
    r"|(?:eslint|stylelint|prettier|commitlint|lint-staged|jest|vitest|playwright|karma|cypress|wdio|ava|cucumber|knip|biome|tslint)(?:\.(?:config|conf|base|ci"
    r"|workspace|setup|unit|e2e|integration))*\.(?:[cm]?[jt]s|jsonc?|ya?ml)"
    r"|\.?(?:rubocop|reek|golangci|swiftlint|detekt|sqlfluff|yamllint|hadolint|ansible-lint|pre-commit-config|semgrep|codecov|trivy|gitleaks|checkov|tflint"
    r"|kube-linter|vale|scalafmt|bandit|lefthook|gitlab-ci|travis|drone|azure-pipelines|bitbucket-pipelines|nextest|clippy|deny|audit|codeclimate|pre-commit-hooks)"
    r"(?:\.(?:ya?ml|json|toml|ini|conf|hcl))?"
    r"|\.?phpunit\.xml(?:\.dist)?|phpstan[\w.-]*|psalm[\w.-]*|\.php-cs-fixer[\w.]*|\.?credo\.exs|checkstyle[\w.-]*\.xml|sonar-project\.properties|jenkinsfile"
    r"|codeowners|audit-ci\.jsonc?)$"
    r"|(?:^|/)(?:\.github/(?:workflows|actions)|\.circleci|\.buildkite|\.husky|\.config/nextest)/"
)
_MIXED_CONFIG = lazy_pattern(
    r"(?i)(?:^|/)(?:pyproject\.toml|setup\.cfg|vite\.config\.\w+|package\.json|(?:ts|js)config(?:[._-][\w.-]+)?\.json|cargo\.toml|(?:gnu)?makefile|\.?justfile"
    r"|taskfile\.ya?ml|rakefile|composer\.json|deno\.jsonc?|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|directory\.build\.props|[\w.-]+\.csproj"
    r"|cmakelists\.txt|build\.bazel|[\w-]+\.mk|(?:[\w-]+[-_])?(?:test|tests|lint|check|checks|ci|verify)(?:[-_][\w-]+)?\.(?:sh|bash))$"
)
_EXEMPTIONS = lazy_pattern(
    r"(?i)(?:^|/)\.(?:eslint|prettier|stylelint|\w*lint|semgrep|trivy|gitleaks|snyk|cspell|bandit|grype|checkov|tfsec|audit|osv|nyc"
    r"|coverage|test|jest|jscpd|phpcs|typos|lychee|sqlfluff|dialyzer|[\w-]+-?lint|nancy|secret\w*)-?ignore$"
    r"|(?:^|/)(?:\.rubocop_todo\.yml|[\w.-]*baseline[\w.-]*\.(?:xml|neon|json|ya?ml|toml|txt)|\.secrets\.baseline|\.nsprc|\.snyk"
    r"|eslint-suppressions\.json|[\w.-]*suppressions?[\w.-]*\.(?:xml|json|txt|ya?ml)|\.betterer\.results|\.dialyzer_ignore\.exs)$"
)
_PROSE = lazy_pattern(
    r"(?i)\.(?:md|mdx|rst|adoc|org|pdf|docx?)$|(?:^|/)(?:changelog|changes|readme|license|authors)[^/]*$|(?:^|/)docs?/"
)

_REDIRECTED = lazy_pattern(r"(?<![-=<])>{1,2}\|?\s*[\"']?([^\s\"';&|<>()]+)")
_COPIES = frozenset({"cp", "mv", "install", "rsync", "scp", "ln"})
_FILLS = frozenset({"tee", "truncate", "sponge", "ed", "ex", "dd", "shred"})
_REMOVES = frozenset({"rm", "unlink", "trash", "rmdir", "del", "shred"})
_IN_PLACE = {
    "sed": lazy_pattern(r"-[a-zA-Z]*i|--in-place"), "perl": lazy_pattern(r"-\w*i"),
    "ruby": lazy_pattern(r"-\w*i"), "awk": lazy_pattern(r"inplace"),
    "gawk": lazy_pattern(r"inplace"),
    "yq": lazy_pattern(r"-\w*i|--inplace"), "sd": lazy_pattern(r"\w"), "patch": lazy_pattern(r"\w"),
    "comby": lazy_pattern(r"-i"), "jq": lazy_pattern(r"--in-place"),
}  # fmt: skip
_FETCHES = lazy_pattern(r"-\w*[oO]|--output(?:-document)?|--out")
_SCRIPTED = lazy_pattern(
    r"\bwrite_(?:text|bytes)\(|\.write\(|\bopen\([^)\n]*,\s*[rf]?[\"'](?:[wax]|r\+)|writeFile\w*\(|appendFile\w*\(|File\.write|\b(?:json|yaml)\.dump\("
    r"|\.save\w*\(|\.to_(?:csv|json|parquet)\(|file_put_contents|\bcopy(?:file|2)?\(|\.replace\("
)
_INTERPRETERS = frozenset(
    {"python", "python3", "node", "ruby", "perl", "php", "deno", "bun", "uv", "npx", "tsx"}
)
_QUOTED_PATH = lazy_pattern(r"[\"']([\w@./-]*[./][\w./-]*)[\"']")


def is_code(path: str) -> bool:
    """Whether a file is written in a programming language."""
    return _CODE.search(path) is not None


def is_test(path: str) -> bool:
    """Whether a file is a test, helps tests, or is data of tests."""
    return bool(_TEST_FOLDER.search(path) or _TEST_NAME.search(path))


def is_expected(path: str) -> bool:
    """Whether a file holds what tests compare with."""
    data = _EXPECTED_DATA.search(path) and not is_code(path)
    return bool(data or _EXPECTED.search(path))


def is_exemptions(path: str) -> bool:
    """Whether a file lists what a check leaves out."""
    return _EXEMPTIONS.search(path) is not None


def is_check_config(path: str) -> bool:
    """Whether a file sets how tests, linters or CI run, and nothing else."""
    return _CHECK_CONFIG.search(path) is not None


def is_config(path: str) -> bool:
    """Whether a file sets how tests, linters or CI run, perhaps beside other things."""
    return is_check_config(path) or _MIXED_CONFIG.search(path) is not None


def is_source(path: str) -> bool:
    """Whether a file is part of what is checked."""
    others = (is_test, is_expected, is_exemptions, is_check_config)
    return not (_PROSE.search(path) or any(other(path) for other in others))


def written(line: str) -> Iterator[str]:
    """Files that a command line writes to, by what stands in it."""
    yield from (found[1] for found in _REDIRECTED.finditer(line))
    for command in commands(line):
        words = [word.text for word in command.args]
        plain = [word for word in words if not word.startswith("-")]
        if command.name in _COPIES and len(plain) > 1:
            yield plain[-1]
        elif command.name in _FILLS:
            yield from (word.removeprefix("of=") for word in plain)
        elif (mark := _IN_PLACE.get(command.name)) and any(map(mark.match, words)):
            yield from plain
        elif command.name in ("curl", "wget", "http", "gh"):
            yield from (word for flag, word in pairwise(words) if _FETCHES.fullmatch(flag))
        elif command.name in ("tar", "unzip", "7z"):
            yield from (word for flag, word in pairwise(words) if flag in ("-C", "-d"))
        elif command.name == "git" and plain[:1] in (["checkout"], ["restore"]):
            restores = plain[0] == "restore" and "--staged" not in words
            yield from (word for word in plain[1:] if restores or "--" in words or is_code(word))
        elif command.name in _INTERPRETERS and _SCRIPTED.search(line):
            yield from (found[1] for found in _QUOTED_PATH.finditer(line))


def removed(line: str) -> Iterator[str]:
    """Files that a command line takes away."""
    for command in commands(line):
        words = [word.text for word in command.args]
        plain = [word for word in words if not word.startswith("-")]
        if command.name in _REMOVES or (command.name == "find" and "-delete" in words):
            yield from plain
        elif command.name == "git" and plain[:1] in (["rm"], ["stash"]):
            yield from (word for word in plain[1:] if "--cached" not in words)
        elif command.name in ("mv", "git") and (command.name == "mv" or plain[:1] == ["mv"]):
            yield from (word for word in plain[:-1] if not in_checks(plain[-1]))


def in_checks(path: str) -> bool:
    """Whether a file that a command writes to is a test, or what one expects; no report of one."""
    if is_expected(path):
        return True
    if _REPORT.search(path):
        return False
    folder = _TEST_FOLDER.search(path if is_code(path) else f"{path}/")
    return bool(folder or (is_code(path) and _TEST_NAME.search(path)))
