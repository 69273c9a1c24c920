"""How the tools of a task say that it went well, and that it did not; and who says nothing then.

Each entry of EXAMPLES is an invented output with what it tells.
"""

# ruff: noqa: E501, SIM905  (a pattern is easier to read where it is not broken, words without quotes)

import re
from typing import NamedTuple


class Signature(NamedTuple):
    """How the tools of a task say that it went well, and that it did not."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    whole: tuple[str, ...] = ()
    """Lines that tell of all that ran: wherever an output was cut, what was cut is counted in."""


SIGNATURES = {
    "test": Signature(
        (
            r"^ok\s+\S+\s+(?:\(cached\)|\d[\d.]*m?s)",  # go test
            r"^PASS$",
            r"^test result: ok\.",  # cargo
            r"^\s*\d+ passing\b",  # mocha
            r"^OK(?: \(.*\))?$",  # unittest, phpunit
            r"^DONE \d+ tests\b",  # gotestsum
            r"^\s*\d+ pass$",  # bun
            r"^Passed!\s",  # dotnet
        ),
        (
            r"^--- FAIL:|^FAIL\b|^\s*FAIL\s+\S",
            r"^test result: FAILED",
            r"\b[1-9]\d* (?:failed|failures?|failing|errors? during collection)\b",
            r"^\s*[1-9]\d* (?:fail|errors?)$|^Tests:?\s+[1-9]\d* fail|\b[1-9]\d* errors? in \d",  # bun, pytest
            r"^FAILED\b|\bTests? failed\b|\[build failed\]|^=+ (?:FAILURES|ERRORS) =+",
            r"^DONE \d+ tests?, [1-9]\d* fail|^(?:# |ℹ )fail [1-9]|^Some tests failed\b|^\*\* TEST FAILED \*\*",
        ),
        (
            r"^=*\s*\d+ passed\b[^\n]*",  # pytest
            r"^\s*Tests:?\s+(?:\d+ skipped, )?\d+ passed",  # jest, vitest
            r"\b\d+ (?:tests|examples|runs|doctests?)\b[^\n]{0,60}\b0 failures\b",  # ExUnit, RSpec, minitest
            r"^100% tests passed",  # ctest
            r"^\s*0 fail$|^(?:# |ℹ )fail 0$|^ok \| \d+ passed[^\n]*\b0 failed\b",  # bun, node, deno
            r"^(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?\b|^OK \(\d+ tests?, \d+ assertions?\)",  # gradle, maven, phpunit
            r"^Test Suite 'All tests' passed|^\*\* TEST SUCCEEDED \*\*|\bAll tests passed!$",  # swift, xcodebuild, flutter
        ),
    ),
    "lint": Signature(
        (
            r"\b0 (?:errors|offenses|problems)\b|\d+ files? already formatted$|^All matched files use Prettier",
            r"^Checked \d+ files? in [^\n]*No fixes|^\s*Finished `?(?:dev|release|test|\[)",  # biome, clippy
            r"\bAll files pass\b|^Your code has been rated at 10\.00",
        ),
        (
            r"^\s*[1-9]\d* (?:issues?|problems?|offenses?|errors?)\b(?:[:.]| [^(]| \([^0])|^Found [1-9]\d* (?:errors?|issues?|problems?)",
            r"^✖ [1-9]\d* problems?(?:$| \([1-9])|^\S+\.\w+:\d+(?::\d+)?:? +(?:error|warning|[A-Z]{1,4}\d{2,4})\b",
            r"^\S+\.\w+:\d+:\d+: .{3,}\(\w+\)$|^##\[error\]|\bfound [1-9]\d* (?:refactoring|warnings?|software design|consistency|code readability)",
            r"\.{2,}Failed$|^Summary: [1-9]\d* (?:error\(s\)|issues? in)",
        ),
        (
            r"^All checks passed!|^0 issues\.?$|^✔ No ESLint|\bno (?:issues|problems|offenses)(?: were)? (?:found|detected)\b",
            r"\bfound no issues\b|^Success: no issues found",
            r"^Summary: 0 (?:error\(s\)|issues in)",  # markdownlint-cli2
        ),
    ),
    "type_check": Signature(
        (
            r"^done \(passed successfully\)",
            r"^\s*Finished `?(?:dev|release|test|\[)",  # cargo check
        ),
        (
            r"^Found [1-9]\d* errors?|^[1-9]\d* errors?\b|\berror TS\d+:|: error: |^done \(warnings were emitted\)|^Total errors: [1-9]|could not compile\b|^error\[E\d{4}\]: ",
        ),
        (
            r"^Success: no issues found|^0 errors, \d+ warnings|\bFound 0 errors\b|\bTotal errors: 0\b",
            r"^All checks passed!|\bfound 0 errors\b|^- 0 errors$|^No errors!$",
        ),
    ),
    "build": Signature(
        (
            r"^\s*Finished `?(?:dev|release|test|bench|\[)",  # cargo
            r"^BUILD SUCCESS(?:FUL)?\b|^\[INFO\] BUILD SUCCESS|^Build succeeded\b|✓ built in|✓ Compiled successfully|^webpack [^\n]*compiled successfully",
            r"^Successfully (?:built|tagged) |^Generated \w+ app$|^\*\* BUILD SUCCEEDED|^› Build Succeeded|^✔ Finished prebuild",
            r"^(?:\d\d:\d\d:\d\d )?\[build\] Complete!|^\s*(?:Compiled|Build (?:completed|finished)) successfully|^Route \((?:app|pages)\)",  # astro, next
            r"⚡️? Build success|^created \S+ in \d|\bDone in \d+m?s$|^Build complete!|^✓ Built \S+|^INFO +-? +Documentation built in|^build succeeded\b",  # tsup, rollup, esbuild, swift, flutter, mkdocs, sphinx
            r"^\[100%\] Built target \S+|^Output written on \S+",  # cmake, LaTeX
        ),
        (
            r"(?i)\bcompilation (?:failed|error)|\bbuild failed\b|\bfailed to compile\b|^\*\* BUILD FAILED|could not compile\b",
            r"^error(?:\[\w+\])?: |^\S+\.\w+:\d+:\d+: (?:error|undefined|syntax error|cannot|expected|missing|too many|not enough)\b|\berror TS\d+:|^make(?:\[\d+\])?: \*\*\*",
        ),
    ),
    "format": Signature((), (r"(?i)^error\b[^\n]*(?:pars|format)|\bwould (?:be )?reformat(?:ted)?\b|^\*\* \(Mix\)",)),
    "install": Signature(
        (
            r"^Successfully installed |^added \d+ packages?\b|^up to date\b|^Bundle complete!|^Audited \d+ packages? in|^Resolved \d+ packages? in|^Requirement already satisfied",
            r"^\* Getting \S+|^All dependencies (?:are up to date|have been fetched)",
            r"^found \d+ vulnerabilities|^Run `npm audit` for details\.|^\d+ packages are looking for funding",  # npm
            r"^Done in \d[\d.]*m?s|^Already up to date$|^Lockfile is up to date",  # pnpm, yarn
            r"^(?:success Saved lockfile|✨ +Done in)|^➤ YN0000: .{0,4}(?:Done|Completed)",  # yarn
            r"^\d+ packages? installed \[|^Checked \d+ installs? across \d+ packages?|^Saved lockfile$",  # bun
            r"^Installed \d+ packages? in|^No dependencies to install or update|^\d+ gems? installed|^Generating autoload files",  # uv, poetry, gem, composer
            r"^🍺 |^Setting up \S+ \(",  # brew, apt
        ),
        (r"^npm (?:ERR!|error)|^ERROR: |^error: |\bNo matching distribution\b|^E: ",),
    ),
    "commit": Signature(
        (r"^\[[^\]\n]+ [0-9a-f]{7,}\] ", r"^ \d+ files? changed\b"),
        (
            r"^(?:fatal|error): |^nothing to commit|^no changes added|\bnothing added to commit|hook (?:id|exited|failed)|(?i:\bpre-?commit (?:validation|hooks?|checks?) failed)|\.{2,}Failed$|^On branch [^\n]*\n(?:[^\n]*\n)?nothing to commit",
        ),
    ),
    "release": Signature((r"/releases/tag/",), (r"^(?:fatal|error): ",)),
}  # fmt: skip
"""By task; what a script of the project does for the task is told by the same words."""

CRASHES = (
    r"^(?:\S*: )*(?:Segmentation fault|Aborted|Bus error|Killed|Trace/breakpoint trap)\b(?:: ?\d+)?(?: \(core dumped\))?$",
    r"^(?:malloc|free|realloc|munmap_chunk|corrupted)\S*: |^double free or corruption|\bstack smashing detected\b|\bAddressSanitizer: ",
    r"^panic: |^fatal error: all goroutines|^Fatal Python error: ",
)
"""How a program of any task says that it broke off."""

ABSENT = (
    r"^(?:npm (?:ERR!|error) )?could not determine executable to run|^\s*This is not the tsc command you are looking for",
    r"^(?:npm (?:ERR!|error) )?Missing script:|^\W*ERR_PNPM_(?:RECURSIVE_RUN_)?NO_SCRIPT|^None of the selected packages has an? |^error: Script not found |^(?:error: )?Command \"\S+\" not found|^error: Failed to spawn: ",
    r"^(?:\S+: )?(?:line \d+: )?\S+: command not found$|^(?:\S+: ?)*command not found: \S+$|^\S*python[\d.]*: No module named |^\S*Error: Cannot find module ",
)
"""How a runner or a shell says that what was to be run is not there."""

FETCHED = re.compile(
    r"(?m)^npm warn exec The following packages? (?:was|were) not found and will be installed"
)
"""That a runner took a program from elsewhere: that it ran does not tell that the project has it."""

SILENT = frozenset(
    "tsc vue-tsc eslint flake8 pyflakes pycodestyle pydocstyle shellcheck yamllint actionlint hadolint stylelint standard xo codespell "
    "markdownlint gofmt goimports gofumpt clang-format rustfmt javac gcc g++ cc c++ clang clang++ rustc".split()
)
"""Programs that print nothing where all is well."""

SILENT_WORDS = frozenset(
    {
        "go vet", "go build", "mix compile", "mix format", "cargo fmt", "terraform fmt", "tofu fmt",
        "dune build", "dune fmt", "zig build", "zig fmt", "swift format", "buf lint", "git diff",
    }
)  # fmt: skip
"""The same of a program with its first word."""

BLANK = re.compile(r"\s*(?:\((?:Bash completed with )?no output\)|Tool ran without output\.?)?\s*")
"""How a call's result looks that printed nothing."""


class OutcomeExample(NamedTuple):
    """A line that was run, what it printed, and whether that passed."""

    line: str
    output: str
    passed: bool | None


EXAMPLES = (
    OutcomeExample("bun run lint | tail -4", "@quay/core:lint: Checked 9 files in 7ms. No fixes applied.\n\n Tasks:    3 successful, 3 total\nCached:    1 cached, 3 total\n", True),
    OutcomeExample("bun run lint | tail -4", "quay:lint: Found 2 errors.\n\n Tasks:    2 successful, 3 total\nFailed:    quay#lint\n", False),
    OutcomeExample("npm run typecheck | tail -2", "Cached:    3 cached, 3 total\n  Time:    80ms >>> FULL TURBO", True),
    OutcomeExample("npx nx test | tail -3", " NX   Successfully ran target test for project quay (2s)", True),
    OutcomeExample("npx lerna run build | tail", "@quay/core: src/tide.ts(3,1): error TS2304: Cannot find name 'ebb'.", False),
    OutcomeExample("npx lerna run test | tail", "@quay/core: Tests:       4 passed, 4 total", True),
    OutcomeExample("pnpm -r test | tail", "packages/core test: 7 passing (9ms)", True),
    OutcomeExample("npx tsc --noEmit 2>&1 | head -20", "", True),
    OutcomeExample("npx tsc --noEmit 2>&1 | head -20", "src/tide.ts(3,1): error TS2304: Cannot find name 'ebb'.", False),
    OutcomeExample("npx tsc --noEmit 2>&1 | grep error", "", None),
    OutcomeExample("npx tsc --noEmit 2>/dev/null | head", "", None),
    OutcomeExample("npx eslint src | tail -5", "(Bash completed with no output)", True),
    OutcomeExample("ruff format --check . | tail -1", "9 files already formatted", True),
    OutcomeExample("make build | tail -5", "", None),
    OutcomeExample("npm install 2>&1 | tail -5", "To address all issues, run:\n  npm audit fix\n\nRun `npm audit` for details.", True),
    OutcomeExample("npm install | tail -5", "npm error code ERESOLVE\nnpm error Fix the upstream conflict", False),
    OutcomeExample("pnpm install | tail -3", "Done in 2.4s using pnpm v10.1.0", True),
    OutcomeExample("yarn install | tail -2", "✨  Done in 3.21s.", True),
    OutcomeExample("bun install | tail -2", "14 packages installed [320.00ms]", True),
    OutcomeExample("bun run build | tail -2", "10:31:02 [build] 4 page(s) built in 2.1s\n10:31:02 [build] Complete!", True),
    OutcomeExample("npx expo prebuild | tail -2", "- Running prebuild\n✔ Finished prebuild", True),
    OutcomeExample("npx expo run:ios | tail -2", "› Planning build\nCommandError: No device is near.", False),
    OutcomeExample("npx vite build | tail -2", "✓ built in 812ms", True),
    OutcomeExample("npx next build | tail -9", "Route (app)            Size\n○ /                    2 kB", True),
    OutcomeExample("cargo check 2>&1 | tail -5", "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.4s", True),
    OutcomeExample("cargo check 2>&1 | tail -5", "error: could not compile `quay` (lib) due to 1 previous error", False),
    OutcomeExample("bun test | tail -4", " 31 pass\n 2 fail\nRan 33 tests across 4 files. [2.00s]", False),
    OutcomeExample("bun test | tail -4", " 31 pass\n 0 fail\n 3 errors\nRan 31 tests across 4 files.", False),
    OutcomeExample("bun test | tail -4", " 31 pass\n 0 fail\nRan 31 tests across 4 files. [2.00s]", True),
    OutcomeExample("bun run test | tail -9", "313 | refused(\"no harbour\")\nerror: no harbour\n      at tide.test.ts:9\n\n 31 pass\n 0 fail\nRan 31 tests across 4 files.", True),
    OutcomeExample("node --test | tail -9", "ℹ tests 4\nℹ pass 3\nℹ fail 1\n", False),
    OutcomeExample("node --test | tail -9", "# tests 4\n# pass 4\n# fail 0\n", True),
    OutcomeExample("deno test | tail -2", "ok | 4 passed | 0 failed (12ms)", True),
    OutcomeExample("vendor/bin/phpunit | tail -2", "OK (4 tests, 9 assertions)", True),
    OutcomeExample("flutter test | tail -1", "00:02 +3 -1: Some tests failed.\nSome tests failed.", False),
    OutcomeExample("flutter test | tail -1", "00:02 +4: All tests passed!", True),
    OutcomeExample("xcodebuild test | tail -1", "** TEST FAILED **", False),
    OutcomeExample("bun test", "Chunk ID: 4a\nWall time: 0.5 seconds\nProcess exited with code 1\nOutput:\n 3 pass\n", False),
    OutcomeExample("npx tsc --noEmit | head", "Chunk ID: 4a\nWall time: 0.5 seconds\nProcess exited with code 0\nOriginal token count: 0\nOutput:\n", True),
    OutcomeExample("pytest -q | tail -2", "41 passed, 2 errors in 3.20s", False),
    OutcomeExample("npx markdownlint-cli2 a.md | tail -2", "Linting: 1 file(s)\nSummary: 0 error(s)", True),
    OutcomeExample("npm run lint | tail -2", "✖ 3 problems (0 errors, 3 warnings)", True),
    OutcomeExample("npm run lint | tail -2", "✖ 3 problems (1 error, 2 warnings)", False),
    OutcomeExample("./run_tests | head -9", "PASS\nmalloc(): invalid size (unsorted)\n", False),
    OutcomeExample("npx tsc --noEmit | tail -3", "  This is not the tsc command you are looking for", False),
    OutcomeExample("npx eslint src", "npm warn exec The following package was not found and will be installed: eslint@9.1.0\n", None),
    OutcomeExample("mix test | grep failures", "41 tests, 0 failures", True),
    OutcomeExample("go test ./... | head -30", "ok  \tquay/tide\t0.2s\n", True),
    OutcomeExample("npm test && echo GOOD || echo BAD", "3 boats\nGOOD", True),
    OutcomeExample("npm test >/dev/null 2>&1 && echo GOOD || echo BAD", "BAD", False),
)  # fmt: skip
