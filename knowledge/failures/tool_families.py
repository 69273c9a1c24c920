"""Families of tools, and how the line that says why looks in the output of each.

A pattern is matched at the beginning of a line that has lost its colours and its leading marks.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class ToolFamily:
    """Programs whose errors look alike.

    `lines` tell of the family wherever they stand; `own` only in the output of one of its
    `programs`. The most telling come first. Of a `last` family the last line counts: what a
    traceback ends in. What `only_with` does not find in the whole output is none of its lines.
    """

    name: str
    programs: tuple[str, ...]
    lines: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    last: bool = False
    only_with: str = ""

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """`lines`, compiled."""
        return tuple(map(re.compile, self.lines))

    @cached_property
    def shown_by(self) -> re.Pattern[str]:
        """`only_with`, compiled."""
        return re.compile(self.only_with, re.MULTILINE)

    @cached_property
    def own_patterns(self) -> tuple[re.Pattern[str], ...]:
        """`own`, compiled."""
        return tuple(map(re.compile, self.own))


_PLACE = r"\S{1,200}:\d+(?::\d+)?:? "

FAMILIES = (
    ToolFamily(
        "cargo", ("cargo",),
        (r"error: (?:no matching package|failed to (?:select a version|parse manifest|load|get|run custom build)|package ID|the lock file|could not find `Cargo\.toml`).*",
         r"error: could not compile `.+"),
    ),
    ToolFamily(
        "rustc", ("rustc", "cargo"),
        (r"error\[E\d{4}\]: \S", r"error: (?!could not compile|aborting|test failed|process didn't)(?=.{0,200}(?:macro|lifetime|borrow|`\w+`|expected one of|unused)).+", r"thread '.{1,200}' (?:\(\d+\) )?panicked at .+"),
        own=(r"error: (?!could not compile|aborting|test failed|process didn't)\S.+",),
    ),
    ToolFamily(
        "go", ("go", "golangci-lint", "gotestsum", "gofmt", "staticcheck"),
        (r"(?:vet: )?\S{1,200}\.go:\d+(?::\d+)?: (?!\s*(?:PASS|ok)\b|(?:note|warning): |: # )\S.+",
         r"panic: (?!\(nil\)|test timed out after .{0,20} \[recovered).+",
         r"go: (?!downloading|finding|extracting|found|added|upgraded|downgraded|creating|to add|removed|updates to)\S.+",
         r"--- FAIL: \S+",),
        own=(r"no required module provides package .+", r"package \S+ is not in .+", r"FAIL\s+\S+ \[(?:build|setup) failed\]"),
    ),
    ToolFamily("tsc", ("tsc", "vue-tsc"), (r".{0,200}\berror TS\d{3,5}: .+",)),
    ToolFamily("eslint", ("eslint", "standard", "xo"), (r"\d+:\d+\s+error\s+\S.+",),
        own=(r"Oops! Something went wrong.*", r"Parsing error: .+")),
    ToolFamily("markdownlint", ("markdownlint", "markdownlint-cli2"), (r"\S{1,200}:\d+(?::\d+)? (?:error )?MD\d{3}/\S+ .+",)),
    ToolFamily("stylelint", ("stylelint",), (r"\d+:\d+\s+[✖×]\s+\S.+",)),
    ToolFamily("oxlint", ("oxlint",), (r"(?:x )?[\w-]+\([\w/-]+\): \S.+",), only_with=r"^\s*(?:,-|╭─)\["),
    ToolFamily("biome", ("biome",), (r"\S{1,200}:\d+:\d+ (?:lint|assist)/\w+/\w+",)),
    ToolFamily("yamllint", ("yamllint",), own=(r"\d+:\d+\s+error\s+\S.+",)),
    ToolFamily("shellcheck", ("shellcheck",), (r"\^-[-^]* SC\d{4} \(\w+\): .+",)),
    ToolFamily(
        "jvm", ("java", "javac", "mvn", "mvnw", "gradle", "gradlew", "kotlinc", "scala", "scalac", "sbt"),
        (r"(?:\[(?:ERROR|error)\] )?\S{1,200}\.(?:java|kts?|scala|groovy):(?:\d+(?::\d+)?|\[\d+,\d+\]):? (?!warning)(?:error: )?\S.+", r"e: (?:file://)?\S{1,200}\.kts?:\S+ .+",
         r"\[ERROR\]\s+(?:\w+\.)*\w+:\d+(?:->\S+)? .+", r"(?:Exception in thread \".{1,80}\" |Caused by: )(?:\w+\.)+\w+(?:Exception|Error)\b.*",
         r"(?:Could not (?:find|resolve|get|create) (?:method|property|plugin|task|all|any|\S+:\S+:)|Plugin \[id: |Task '.+' not found).*", r"(?:Execution failed for task|A problem occurred (?:evaluating|configuring)) .+", r"\[ERROR\] Failed to execute goal .+"),
        only_with=r"\.(?:java|kts?|scala|groovy)\b|BUILD|\[ERROR\]|Exception in thread|What went wrong",
    ),
    ToolFamily("swift", ("swift", "swiftc", "xcodebuild"), (r"\S{1,200}\.swift:\d+(?::\d+)?: (?:fatal )?error: .+",), own=(r"(?:xcodebuild: )?error: .+",)),
    ToolFamily(
        "dotnet", ("dotnet", "msbuild", "csc"),
        (r"(?:\S{1,200}(?:\(\d+,\d+\))? ?: )?error (?:CS|FS|BC|MSB|NU|NETSDK|CA|IDE)\d{3,5}: .+", r"Unhandled exception\. .+"),
        own=(r"Assert\.\w+\(\) Failure.*", r"(?:\w+\.)+\w*Exception ?: .+"),
    ),
    ToolFamily(
        "php", ("php", "phpunit", "pest", "phpstan", "composer", "artisan"),
        (r"(?:PHP )?(?:Fatal|Parse) error:\s+.+", r"Failed asserting that .+", r"(?:- )?Root composer\.json requires .+"),
        own=(r"(?:\w+\\)*\w*(?:Error|Exception): .+", r"\d+\s{2,}\S.+", r"Your requirements could not be resolved.+"),
    ),
    ToolFamily(
        "ruby", ("ruby", "rspec", "rails", "rake", "bundle", "bundler", "rubocop"),
        (r"\S{1,200}\.rb:\d+:in .+ \((?:\w+::)*[A-Z]\w+\)", r"Could not find gem .+"),
        own=(r"(?:\w+::)*[A-Z]\w*(?:Error|Invalid|NotFound|Exception)(?:: .+|:)$", r"Failure/Error: .+", r"\S{1,200}\.rb:\d+:\d+: [EF]: .+", r"Bundler could not find compatible versions .+"),
    ),
    ToolFamily("dart", ("dart", "flutter"), (r"error • .+ • \S{1,200}\.dart:\d+:\d+ • \w+", r"\S{1,200}\.dart:\d+:\d+: Error: .+"), own=(r"Because .+ depends on .+",)),
    ToolFamily("zig", ("zig",), (r"\S{1,200}\.zig:\d+:\d+: error: .+",)),
    ToolFamily(
        "haskell", ("ghc", "cabal", "stack", "runghc"),
        (r"(?:Variable not in scope|Not in scope|No instance for|Could not (?:find|load) module|Could not deduce)\b.+", r"Couldn't match \w+ type .+"),
        only_with=r"\.hs:\d+:\d+: error",
    ),
    ToolFamily("ansible", ("ansible", "ansible-playbook"), (r"fatal: \[[^\]]+\]: (?:FAILED|UNREACHABLE)! => .+",), own=(r"ERROR! .+",)),
    ToolFamily(
        "cloud", ("aws", "gcloud", "gsutil", "az"),
        (r"(?:\S+: )?An error occurred \(\w+\) when calling the \w+ operation.*", r"ERROR: \(gcloud\.[\w.-]+\) .+"),
        own=(r"(?:ERROR: |fatal error: |Unable to locate credentials).*",),
    ),
    ToolFamily("cypress", ("cypress",), (r"(?:AssertionError|CypressError|Error): \S.+",), only_with=r"Timed out retrying after|\bCypress:|\bcypress run\b"),
    ToolFamily("vitest", ("vitest",),
        (r"(?:AssertionError|TypeError|ReferenceError|SyntaxError|RangeError|Error): \S.+",),
        only_with=r"^\s*(?:FAIL|❯|RUN) .{0,200}|Vite"),
    ToolFamily(
        "jest", ("jest",),
        (r"(?:Cannot find module|Test suite failed to run|(?:Type|Reference|Syntax|Range)?Error: ).*\S", r"expect\(.{0,120}\)\..+"),
        only_with=r"^Tests?(?: Suites)?: .{0,60}failed|^\s*● ",
    ),
    ToolFamily(
        "mocha", ("mocha",),
        (r"(?:Uncaught )?(?:AssertionError|(?:Type|Reference|Syntax|Range)?Error)(?: \[\w+\])?: \S.*",), only_with=r"^\s*\d+ (?:passing|failing)\b",
    ),
    ToolFamily(
        "esbuild", ("esbuild", "vite", "rollup", "webpack"),
        (r"\[ERROR\] \S.+", r"(?:Module not found: )?Error: Can't resolve .+", r"Could not resolve .+", r"\[vite(?::[\w-]+)?\] .*(?:failed|error|Rollup).+"),
    ),
    ToolFamily(
        "ruff", ("ruff", "flake8", "pycodestyle", "pylint"),
        (rf"{_PLACE}[A-Z]{{1,4}}\d{{3,4}} .+", r"[A-Z]{1,3}\d{3,4} (?:\[\*\] )?[\w`'].+(?=\n|$)", r"Would reformat: .+"),
        only_with=r"[A-Z]\d{3}|[Rr]eformat",
    ),
    ToolFamily("mypy", ("mypy", "pyright", "basedpyright", "ty"),
        (r"\S{1,200}\.pyi?:\d+(?::\d+)?:? (?:- )?error: .+",)),
    ToolFamily(
        "pytest", ("pytest", "py.test"),
        (r"E {2,}(?!assert |AssertionError$|\+|-|\?|Full diff|At index|Use -v|where )(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Exit|Failed|NotFound)\b.*", r"E {2,}(?:fixture '.+|.*[Ee]rror.*)",
         r"(?:FAILED|ERROR) \S+(?: - .+)", r"E {2,}assert .+", r"(?:FAILED|ERROR) \S+::\S+", r"ERROR: (?:file or directory not found|not found).+", r"ImportError while .+"),
        own=(r"(?:pytest|__main__\.py): error: .+", r"ERROR: (?!usage).+"),
        only_with=r"^E {2,}|^(?:FAILED|ERROR)\b|: error: |^ImportError while|\bERROR ",
    ),
    ToolFamily(
        "python", ("python", "python3", "py", "ipython"),
        (r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|NotFound|DoesNotExist|Timeout)(?::\s.+|$)",),
        own=(r"\S*python[\d.]*: (?:can't open file|No module named|Error while finding).+",),
        last=True,
        only_with=r"Traceback \(most recent call last\)|^\s*File \"|\bSyntaxError: |\bpython[\d.]*: ",
    ),
    ToolFamily(
        "uv", ("uv", "uvx", "poetry", "pdm"),
        (r"(?:[×x] )?(?:No solution found when resolving .+|Failed to (?:build|download|resolve|fetch|parse|spawn|install) .+|Because .{1,300})",),
        own=(r"error: .+",),
        only_with=r"\b(?:uv|resolv|build backend|solution|spawn|wheel)",
    ),
    ToolFamily(
        "pip", ("pip", "pip3"),
        (r"ERROR: (?:Could not (?:find a version|install|open|build)|No matching distribution|Cannot (?:install|uninstall)|Failed building wheel|ResolutionImpossible|Package '|pip's ).+", r"error: externally-managed-environment"),
        own=(r"ERROR: .+",),
    ),
    ToolFamily(
        "linker", ("ld", "gcc", "g++", "clang", "clang++", "cc", "c++", "make", "cmake", "cargo", "go"),
        (r".{0,200}undefined reference to .+", r"(?:\S*/)?(?:ld|collect2|lld|ld\.lld|ld64\.lld)(?:\.exe)?: (?:error: |fatal error: |cannot find |library not found|symbol\(s\) not found|\S+: file not recognized).*", r"Undefined symbols? for architecture .+", r"duplicate symbol .+"),
    ),
    ToolFamily("cc", ("gcc", "g++", "clang", "clang++", "cc", "c++", "cl"),
        (r"\S{1,200}\.(?:c|cc|cpp|cxx|h|hpp|m|mm|cu|inl):\d+(?::\d+)?: (?:fatal )?error: .+",),
        own=(r"(?:\S*/)?(?:gcc|g\+\+|clang(?:\+\+)?|cc1(?:plus)?): (?:fatal )?error: .+",)),
    ToolFamily("cmake", ("cmake", "ctest"),
        (r"CMake Error(?: at .+)?:.*", r"CMake Error: .+", r"Could NOT find .+")),
    ToolFamily(
        "latex", ("latex", "pdflatex", "xelatex", "lualatex", "latexmk", "tectonic", "bibtex", "biber"),
        (r"! (?!==> |Emergency stop)\S.+", r"\S{1,200}\.tex:\d+: (?!.*[Ww]arning)\S.+", r"LaTeX Error: .+"),
        only_with=r"TeX|tex\b",
    ),
    ToolFamily(
        "elixir", ("mix", "iex", "elixir"),
        (r"\*\* \((?!EXIT|Mix\.Error|CompileError|ExUnit)\w[\w.]*\) .+", r"error: (?=undefined (?:function|variable|module)|cannot use|module \S+ is not|__\w+__/\d|the variable |imported ).+", r"\*\* \([\w.]+\) .+",
         r"\(Mix\) .+", r"(?:┃ )?\[[FWRCD]\] (?:[→↗↘↓↑] )?\w.+", r"Assertion with \S+ failed.*", r"Assertion failed.*", r"The (?:pattern|function|guard|call|test|variable|expression) .{0,80}(?:can never|will never|cannot|has no local return|does not (?:return|exist)|breaks the contract).*", r"Unchecked dependencies for .+", r"\S+\.exs?:\d+(?::\d+)?:(?:pattern_match|no_return|call|unknown_function|invalid_contract|contract_\w+|callback_\w+|unmatched_return|guard_fail|unused_fun)\w*"),
        own=(r"Unsatisfied dependenc.+", r"mix format failed due to .+", r"Cover compiling.*failed.*"),
    ),
    ToolFamily("terraform", ("terraform", "tofu", "terragrunt"), (r"(?:[│╷] )?Error: .+",),
        only_with=r"[│╷]|[Tt]erraform|[Tt]ofu|\.tf\b"),
    ToolFamily(
        "kubectl", ("kubectl", "helm", "oc", "k3s", "minikube"),
        (r"Error from server(?: \(\w+\))?: .+", r"error: (?:unable to recognize|error (?:validating|parsing|executing)|no (?:matching|context|configuration)|the server doesn't|timed out waiting|resource mapping).+", r"The connection to the server .+ was refused.*", r"Unable to connect to the server: .+", r"Error: (?:INSTALLATION|UPGRADE|release|chart).+"),
        own=(r"(?i:error): .+",),
    ),
    ToolFamily(
        "docker", ("docker", "docker-compose", "podman", "buildah"),
        (r"(?:docker: )?Error response from daemon: .+", r"ERROR: failed to (?:solve|build|do request).+", r"Cannot connect to the Docker daemon.+", r"failed to solve: .+", r"(?:ERROR: )?\S*: executor failed running .+"),
        own=(r"(?:docker: |Error: |ERROR: |error: |services\.\S+ |no configuration file |unable to )\S.*",),
    ),
    ToolFamily(
        "psql", ("psql", "pg_dump", "pg_restore", "createdb", "dropdb", "mysql", "sqlite3"),
        (r"(?:psql|pg_dump|pg_restore|createdb|dropdb): (?:\S+: )?error: .+", r"(?:\S+: )?(?:ERROR|FATAL|PANIC):  \S.+", r"(?:\S+: )?FATAL: (?:password|role|database|sorry|remaining).+", r"ERROR \d{4} \(\w{5}\).*: .+"),
        own=(r"(?:ERROR|FATAL): .+", r"(?:Parse|Runtime) error near line \d+: .+", r"Error: .+"),
    ),
    ToolFamily(
        "ssh", ("ssh", "scp", "sftp", "rsync", "sshpass", "ssh-add", "ssh-copy-id"),
        (r"\S+: Permission denied \(.*\)\.?", r"ssh: (?:connect to|Could not resolve).+", r"Host key verification failed.*", r"kex_exchange_identification: .+", r"(?:ssh|scp|sftp): .+", r"Connection (?:closed|reset) by .+", r"Load key .+", r"rsync error: .+", r"Too many authentication failures.*", r"Unable to negotiate with .+"),
    ),
    ToolFamily(
        "git", ("git", "gh", "hub", "glab"),
        (r"fatal: (?!unable to auto-detect).+", r"CONFLICT \(.+", r"! \[(?:remote )?rejected\].+", r"The following paths are ignored by one of your \.gitignore files.*", r"remote: error: .+"),
        own=(r"error: (?!failed to push some refs).+", r"error: failed to push .+", r"Automatic merge failed.*", r"(?:GraphQL: |HTTP \d+: |failed to ).+", r"(?:unknown|invalid) .+"),
    ),
    ToolFamily(
        "npm", ("npm", "npx", "pnpm", "yarn", "bun"),
        (r"npm (?:ERR!|error) (?:code E(?!LIFECYCLE)\w+|Missing script.+|Could not resolve.+|\d{3} .+|notarget .+|(?:ERESOLVE )?(?:unable|could not) .+|[Cc]annot .+|Invalid .+|enoent .+|EBADENGINE .+|Unsupported .+|`npm ci` .+)", r"ERR_PNPM_\w+.*", r"(?:YN\d{4}: .+|error (?:Couldn't|Command|An unexpected|Package|Incorrect).+)",
         r"error: (?:script|package) \".+\" .+"),
        own=(r"npm (?:ERR!|error) (?!A complete log|code |errno |path |command )\S.+",),
    ),
    ToolFamily("node", ("node", "tsx", "ts-node", "deno", "bun"),
        (r"(?:Uncaught )?(?:[A-Z]\w*)?Error(?: \[\w+\])?: (?!Build failed|Command failed)\S.+",),
        only_with=r"^\s*at \S.{1,200}|Node\.js v"),
    ToolFamily(
        "formatter", ("prettier", "gofmt", "black", "mix", "rustfmt", "biome"),
        (r"(?:\[\w+\] )?Code is not formatted.*", r"\[error\] .+", r"(?:error: )?cannot format .+", r"The following files are not formatted.*", r"would reformat .+", r"(?:\[warn\] )?Code style issues found .+"),
    ),
    ToolFamily("hook", ("git", "pre-commit", "lefthook", "husky"), (r".{1,120}\.{3,}Failed$",)),
    ToolFamily(
        "make", ("make", "gmake", "ninja", "just"),
        (r"g?make(?:\[\d+\])?: \*\*\* No rule to make target .+", r"\S+:\d+: \*\*\* .+", r"ninja: error: .+", r"error: (?:Justfile|Recipe|No justfile) .+", r"g?make(?:\[\d+\])?: \*\*\* .+"),
    ),
    ToolFamily(
        "powershell", (),
        (r"The token '.{1,3}' is not a valid statement separator.*", r"(?:.{0,80}: )?The term '.+' is not recognized as .+", r"'.{1,80}' is not recognized as an internal or external command.*",
         r"(?:.{0,80} : )?(?:A parameter cannot be found that matches parameter name .+|Cannot find (?:path|drive) .+|Cannot bind .+)"),
    ),
    ToolFamily(
        "shell", (),
        (r"(?:.{0,80}: )?[\w./+-]+: (?:command )?not found\b.*", r"(?:.{0,80}: )?command not found: \S+.*", r"(?:.{0,80}: )?(?:syntax error|unexpected EOF|parse error|bad substitution|unbound variable|event not found|no matches found|bad interpreter|Argument list too long).*",
         r".{1,160}: (?:No such file or directory|Permission denied|permission denied|Is a directory|Not a directory|Device or resource busy|No space left on device|Address already in use|Operation not permitted|cannot execute.*|File exists|unrecognized option.*|invalid option.*|illegal option.*)\W*$",
         r"curl: \(\d+\) .+", r".*(?:EADDRINUSE|(?i:address already in use)).*", r"E: (?:Unable|Could not|Package|Version|Failed).+"),
    ),
)  # fmt: skip
"""The first one whose line is found counts, but that the program that was run comes before."""

WRAPPERS = frozenset({"make", "npm", "hook", "docker", "powershell", "shell", "uv", "git"})
"""Families whose programs run those of others: what these say comes first."""

BARE_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bundefined: ([\w.]+)", r"\bdeclared and not used: (\w+)", r"^(\w+) declared (?:and|but) not used",
        r"^([\w.]+) undefined \(", r"\bhas no field or method (\w+)", r"\(type (\S+) has no field",
        r"\bno required module provides package (\S+?)(?=[;,]|$)", r"^package (\S+) is not in\b", r"\bcannot find package (\S+)",
        r"\bredeclared in this block|^(\w+) redeclared\b", r"\bmissing method (\w+)", r"^--- FAIL: (\S+)",
        r"([\w.+-]+): (?:command )?not found$", r"^([\w.+-]+) : The term\b", r"\bcommand not found: (\S+)", r"\bNo module named ([\w.]+)$",
        r"\bundefined (?:function|variable|module) ([\w.!?/]+)", r"\bmodule ([\w.]+) is not (?:available|loaded)", r"\bfunction ([\w.!?/]+) is undefined",
        r"\bThe current branch (\S+) has no upstream", r"\bNo rule to make target ([^\s'.]+)", r"\bConflict in (\S+)$", r"\bconflict in (\S+)$",
        r"\bMissing script:? (\S+)", r"\brelation (\w+) does not exist", r"\bUnable to locate package (\S+)", r"\bNo matching distribution found for (\S+)",
        r"\brequirement (\S+)", r"\bFailed building wheel for (\S+)", r"\bresolve host(?:name)? (\S+?)(?=:|$)", r"\bconnect to host (\S+)", r"\bfixture (\w+) not found",
        r"\bFile ([\w.-]+\.sty) not found", r"\bcannot find -l(\S+)", r"\(in namespace (\S+)\)", r"^(\S+): Permission denied \(",
        r"\((?:expected )([\w.]+) to define", r"\bfound in ([A-Z][\w.]+)$",
    )
)  # fmt: skip
"""Names that tools print without quotes: what stands in the group is a slot."""
