"""Invented outputs of each family of tools, with the signature of their key line."""

# ruff: noqa: E501  (an output is as long as it is)

from typing import NamedTuple


class FailureExample(NamedTuple):
    """What was run and printed, whose error it is, and its signature."""

    family: str
    command: str
    output: str
    signature: str


EXAMPLES = (
    FailureExample("go", "go test ./...", "=== RUN   TestTide\n    tide_test.go:41: Level() returned no error for an empty harbour\n--- FAIL: TestTide (0.02s)\nFAIL\tharbour/tide\t0.113s\nFAIL", "Level() returned no error for an empty harbour"),
    FailureExample("go", "go build ./...", "# harbour/tide\n./tide.go:12:9: undefined: berthOf", "undefined: {name}"),
    FailureExample("go", "go vet ./...", "# harbour/tide\nvet: ./tide.go:31:2: Printf format %d has arg name of wrong type string", "Printf format %d has arg name of wrong type string"),
    FailureExample("go", "make lint", "tide/tide.go:18:21: string `quay` has 4 occurrences, make it a constant (goconst)\n1 issues:", "string {name} has {n} occurrences, make it a constant (goconst)"),
    FailureExample("rustc", "rustc tide.rs", "error[E0425]: cannot find value `berth` in this scope\n --> src/tide.rs:9:5\n", "error[E0425]: cannot find value {name} in this scope"),
    FailureExample("cargo", "cargo build", "error: no matching package named `tidewheel` found\nlocation searched: registry index\n", "error: no matching package named {name} found"),
    FailureExample("pytest", "pytest tests/test_tide.py", "    def test_level():\n>       level('x')\nE       harbour.errors.TideError: no gauge called 'x' in 3 harbours\n\ntests/test_tide.py:8: TideError\nFAILED tests/test_tide.py::test_level - harbour.errors.TideErr...\n1 failed in 0.12s", "harbour.errors.TideError: no gauge called {name} in {n} harbours"),
    FailureExample("python", "python sail.py", 'Traceback (most recent call last):\n  File "/srv/harbour/sail.py", line 3, in <module>\n    import tidewheel\nModuleNotFoundError: No module named \'tidewheel\'', "ModuleNotFoundError: No module named {name}"),
    FailureExample("jest", "npx jest", "FAIL src/tide.test.js\n  ● Test suite failed to run\n\n    Cannot find module '../gauge' from 'src/tide.test.js'\n\nTests:       0 total\nTest Suites: 1 failed, 1 total", "Cannot find module {name} from {name}"),
    FailureExample("vitest", "npx vitest run", " RUN  v2.1.0\n\n FAIL  src/tide.test.ts > level\nTypeError: gauge.read is not a function\n ❯ src/tide.ts:4:9", "TypeError: gauge.read is not a function"),
    FailureExample("mocha", "npx mocha", "  2 passing (8ms)\n  1 failing\n\n  1) tide level:\n     Error: the gauge of berth 7 is not connected\n      at Context.<anonymous>", "Error: the gauge of berth {n} is not connected"),
    FailureExample("tsc", "npx tsc --noEmit", "src/tide.ts(14,5): error TS2339: Property 'ebb' does not exist on type 'Gauge'.", "error TS2339: Property {name} does not exist on type {name}"),
    FailureExample("eslint", "npx eslint src", "/srv/harbour/src/tide.js\n  3:7  error  'ebb' is assigned a value but never used  no-unused-vars\n\n1 problem (1 error, 0 warnings)", "{n} error {name} is assigned a value but never used no-unused-vars"),
    FailureExample("ruff", "ruff check .", "harbour/tide.py:3:8: F401 [*] `os` imported but unused\nFound 1 error.", "F401 [*] {name} imported but unused"),
    FailureExample("tsc", "bun run typecheck", "@quay/tide:typecheck: src/tide.ts(3,8): error TS2304: Cannot find name 'ebb'.\n Tasks:    1 successful, 2 total", "error TS2304: Cannot find name {name}"),
    FailureExample("mypy", "mypy harbour", 'harbour/tide.py:7: error: Argument 1 to "level" has incompatible type "str"; expected "int"  [arg-type]', "error: Argument {n} to {name} has incompatible type {name}; expected {name} [arg-type]"),
    FailureExample("cc", "gcc -c tide.c", "tide.c:8:10: fatal error: gauge.h: No such file or directory\ncompilation terminated.", "fatal error: {path}: No such file or directory"),
    FailureExample("cc", "clang++ tide.cpp", "tide.cpp:11:3: error: use of undeclared identifier 'ebb'\n1 error generated.", "error: use of undeclared identifier {name}"),
    FailureExample("linker", "gcc -o tide tide.o", "/usr/bin/ld: tide.o: in function `main':\ntide.c:(.text+0x1a): undefined reference to `gauge_open'\ncollect2: error: ld returned 1 exit status", "undefined reference to {name}"),
    FailureExample("make", "make boats", "make: *** No rule to make target 'boats'.  Stop.", "make: *** No rule to make target {name}. Stop"),
    FailureExample("cmake", "cmake -B build", "CMake Error at CMakeLists.txt:6 (find_package):\n  Could not find a package", "CMake Error at {path} (find_package)"),
    FailureExample("latex", "pdflatex chart.tex", "(./chart.tex\n! LaTeX Error: File `tidechart.sty' not found.\n", "! LaTeX Error: File {name} not found"),
    FailureExample("npm", "npm run sail", 'npm error Missing script: "sail"\nnpm error\nnpm error To see a list of scripts, run:', "npm error Missing script: {name}"),
    FailureExample("pip", "pip install tidewheel==9", "ERROR: Could not find a version that satisfies the requirement tidewheel==9 (from versions: none)\nERROR: No matching distribution found for tidewheel==9", "ERROR: Could not find a version that satisfies the requirement {name} (from versions: none)"),
    FailureExample("uv", "uv add tidewheel", "  × No solution found when resolving dependencies:\n  ╰─▶ Because tidewheel was not found in the package registry and your project depends on tidewheel", "No solution found when resolving dependencies"),
    FailureExample("docker", "docker compose up", "Error response from daemon: driver failed programming external connectivity on endpoint tide (9f8e7d6c5b4a): port is already allocated", "Error response from daemon: driver failed programming external connectivity on endpoint tide ({hex}): port is already allocated"),
    FailureExample("git", "git push", "fatal: The current branch tide-7 has no upstream branch.\nTo push the current branch and set the remote as upstream, use", "fatal: The current branch {name} has no upstream branch"),
    FailureExample("git", "git merge main", "Auto-merging tide.go\nCONFLICT (content): Merge conflict in harbour/tide.go\nAutomatic merge failed; fix conflicts and then commit the result.", "CONFLICT (content): Merge conflict in {name}"),
    FailureExample("ssh", "ssh mole@192.0.2.7", "mole@192.0.2.7: Permission denied (publickey).", "{name}: Permission denied (publickey)"),
    FailureExample("psql", "psql harbour", 'psql: error: connection to server at "192.0.2.7", port 5432 failed: Connection refused', "psql: error: connection to server at {name}, port {n} failed: Connection refused"),
    FailureExample("kubectl", "kubectl get pods", 'Error from server (NotFound): namespaces "harbour" not found', "Error from server (NotFound): namespaces {name} not found"),
    FailureExample("terraform", "terraform plan", '╷\n│ Error: Reference to undeclared resource\n│ \n│   on main.tf line 4, in output "tide":', "Error: Reference to undeclared resource"),
    FailureExample("elixir", "mix test", "  1) test level (Harbour.TideTest)\n     ** (RuntimeError) no gauge configured for Harbour.Tide, see :harbour\n", "** (RuntimeError) no gauge configured for Harbour.Tide, see :harbour"),
    FailureExample("formatter", "git commit -m x", "[FORMAT] Code is not formatted.\nRun 'mix format' to fix.", "Code is not formatted"),
    FailureExample("node", "node tide.js", "node:internal/modules/cjs/loader:1228\n  throw err;\n\nError: Cannot find module './gauge'\n    at Module._resolveFilename", "Error: Cannot find module {name}"),
    FailureExample("powershell", "cd quay && npm test", "At line:1 char:9\n+ cd quay && npm test\n+         ~~\nThe token '&&' is not a valid statement separator in this version.\n    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException", "The token {name} is not a valid statement separator in this version"),
    FailureExample("powershell", "tidewheel --up", "tidewheel : The term 'tidewheel' is not recognized as the name of a cmdlet, function, script file, or operable program.\nAt line:1 char:1", "{name} : The term {name} is not recognized as the name of a cmdlet, function, script file, or operable program"),
    FailureExample("markdownlint", "git commit -m 'tides'", "[STARTED] markdownlint --fix\n[FAILED] markdownlint --fix [FAILED]\n\u2716 markdownlint --fix:\n/srv/harbour/docs/tide.md:12 error MD025/single-title/single-h1 Multiple top-level headings in the same document [Context: \"Ebb\"]\nhusky - pre-commit script failed (code 1)", "error MD025/single-title/single-h1 Multiple top-level headings in the same document [Context: {name}]"),
    FailureExample("stylelint", "npx stylelint tide.css", "tide.css\n  3:5  \u2716  Unexpected unknown property \"ebb\"  property-no-unknown\n\n1 problem (1 error, 0 warnings)", "{n} \u2716 Unexpected unknown property {name} property-no-unknown"),
    FailureExample("oxlint", "npx oxlint", "  x eslint(no-unused-vars): Variable 'ebb' is declared but never used.\n   ,-[src/tide.js:3:7]\n", "x eslint(no-unused-vars): Variable {name} is declared but never used"),
    FailureExample("biome", "npx biome check src", "src/tide.ts:4:7 lint/suspicious/noExplicitAny \u2501\u2501\u2501\n\n  \u00d7 Unexpected any. Specify a different type.\n\nFound 1 error.", "lint/suspicious/noExplicitAny"),
    FailureExample("yamllint", "yamllint .", "./tide.yml\n  3:1       error    duplication of key \"ebb\" in mapping  (key-duplicates)", "{n} error duplication of key {name} in mapping (key-duplicates)"),
    FailureExample("shellcheck", "shellcheck tide.sh", "In tide.sh line 4:\necho $ebb\n     ^--^ SC2086 (info): Double quote to prevent globbing and word splitting.", "^--^ SC2086 (info): Double quote to prevent globbing and word splitting"),
    FailureExample("jvm", "javac Tide.java", "Tide.java:5: error: cannot find symbol\n    Gauge gauge = null;\n    ^\n  symbol:   class Gauge\n1 error", "error: cannot find symbol"),
    FailureExample("jvm", "mvn test", "[ERROR] Tests run: 3, Failures: 1, Errors: 0\n[ERROR]   TideTest.level:14 expected: <3> but was: <4>", "[ERROR] TideTest.level:{n} expected: <{n}> but was: <{n}>"),
    FailureExample("jvm", "./gradlew build", "FAILURE: Build failed with an exception.\n\n* What went wrong:\nA problem occurred evaluating root project 'tide'.\n> Could not find method ebb() for arguments [x] on object of type Gauge.", "Could not find method ebb() for arguments [x] on object of type Gauge"),
    FailureExample("jvm", "./gradlew compileKotlin", "e: file:///srv/harbour/src/Tide.kt:5:9 Unresolved reference: Gauge", "e: {path} Unresolved reference: Gauge"),
    FailureExample("swift", "swift build", "/srv/harbour/Sources/Tide.swift:12:5: error: cannot find 'Gauge' in scope", "error: cannot find {name} in scope"),
    FailureExample("dotnet", "dotnet build", "/srv/harbour/Tide.cs(12,5): error CS0103: The name 'gauge' does not exist in the current context\nBuild FAILED.", "error CS0103: The name {name} does not exist in the current context"),
    FailureExample("php", "php tide.php", "PHP Fatal error:  Uncaught Error: Call to undefined function gauge() in /srv/harbour/tide.php:3\nStack trace:\n#0 {main}", "PHP Fatal error: Uncaught Error: Call to undefined function {name}() in {path}"),
    FailureExample("php", "vendor/bin/phpunit", "There was 1 failure:\n\n1) TideTest::testLevel\nFailed asserting that 4 matches expected 3.\n\nFAILURES!\nTests: 1, Assertions: 1, Failures: 1.", "Failed asserting that {n} matches expected {n}"),
    FailureExample("ruby", "bundle exec rspec", "Failures:\n\n  1) Tide level is three\n     Failure/Error: expect(level).to eq(3)\n\n       expected: 3\n            got: 4\n\n1 example, 1 failure", "Failure/Error: expect(level).to eq({n})"),
    FailureExample("ruby", "rails db:migrate", "ActiveRecord::StatementInvalid: PG::UndefinedTable: ERROR:  relation \"tides\" does not exist", "ActiveRecord::StatementInvalid: PG::UndefinedTable: ERROR: relation {name} does not exist"),
    FailureExample("dart", "dart compile exe tide.dart", "lib/tide.dart:12:5: Error: Undefined name 'gauge'.\n  gauge.read();", "Error: Undefined name {name}"),
    FailureExample("zig", "zig build", "src/tide.zig:12:5: error: use of undeclared identifier 'gauge'", "error: use of undeclared identifier {name}"),
    FailureExample("haskell", "ghc Tide.hs", "Tide.hs:5:9: error: [GHC-88464]\n    Variable not in scope: gauge :: Int", "Variable not in scope: gauge :: Int"),
    FailureExample("ansible", "ansible-playbook quay.yml", "fatal: [nas]: UNREACHABLE! => {\"msg\": \"Failed to connect to the host via ssh\"}", "fatal: [nas]: UNREACHABLE! => {{name}: {name}}"),
    FailureExample("cloud", "aws s3 ls s3://tides", "\nAn error occurred (AccessDenied) when calling the ListObjectsV2 operation: Access Denied", "An error occurred (AccessDenied) when calling the ListObjectsV2 operation: Access Denied"),
    FailureExample("cypress", "npx cypress run", "  1) Tide\n       level:\n     AssertionError: Timed out retrying after 4000ms: Expected to find element: `.ebb`, but never found it.", "AssertionError: Timed out retrying after {n}ms: Expected to find element: {name}, but never found it"),
    FailureExample("shell", "tidewheel --up", "/bin/bash: line 1: tidewheel: command not found", "{name}: command not found"),
)  # fmt: skip

NOISE = (
    ("npm install", "npm warn deprecated glob@7.2.3: no longer supported\nadded 41 packages in 2s"),
    ("gcc -c tide.c", "tide.c:8:10: warning: unused variable 'ebb' [-Wunused-variable]"),
    ("pytest", "tests/test_tide.py::test_level\n  harbour/tide.py:4: DeprecationWarning: ebb() is old\n3 passed, 1 warning in 0.02s"),
    ("cargo build", "warning: unused import: `std::fs`\n    Finished dev [unoptimized] target(s) in 0.4s"),
    ("npx eslint src", "/srv/harbour/src/tide.js\n  3:7  warning  Unexpected console statement  no-console\n\n1 problem (0 errors, 1 warning)"),
    ("npx stylelint tide.css", "tide.css\n  3:5  \u26a0  Unexpected empty block  block-no-empty\n\n1 problem (0 errors, 1 warning)"),
    ("./gradlew build", "w: file:///srv/harbour/src/Tide.kt:5:9 Variable 'ebb' is never used\n\nBUILD SUCCESSFUL in 3s"),
    ("mvn -q package", "[WARNING] /srv/harbour/src/Tide.java:[5,9] ebb() in Gauge has been deprecated"),
    ("dotnet build", "/srv/harbour/Tide.cs(12,5): warning CS0168: The variable 'ebb' is declared but never used\nBuild succeeded."),
    ("swift build", "/srv/harbour/Tide.swift:12:5: warning: variable 'ebb' was never used\nBuild complete!"),
    ("go test ./...", "ok  \tharbour/tide\t(cached)\n?   \tharbour/cmd\t[no test files]"),
    ("git push", "hint: You can set push.autoSetupRemote.\nTo example.org:mole/harbour.git"),
    ("mix test", "Compiling 3 files (.ex)\n    warning: variable \"ebb\" is unused\n5 tests, 0 failures"),
)  # fmt: skip
"""What is printed and is no error."""
