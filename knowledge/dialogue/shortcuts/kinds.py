"""The kinds of shortcuts: what weakens a check so that it passes, or takes a protection away.

It is the one list of them; what asks it is in knowledge/dialogue/shortcuts/shortcuts.py.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

from dataclasses import dataclass


@dataclass(frozen=True)
class ShortcutKind:
    """One kind of shortcut, and how it is written in a command, in a file, and in words.

    `run` is looked for in a command line, and in words that quote one; `written` in lines that an
    edit brings in, and in a command line; `said` in words, where nothing denies it.
    """

    name: str
    about: str
    run: str | None = None
    written: str | None = None
    said: str | None = None


_OFF = r"(?:off|false|no|none|0|disabled?|permissive|never)"
_TEST_FILE = (
    r"(?!/tmp/|/dev/)(?:\S*/)?(?:tests?|specs?|__tests__)(?=/?(?:\s|$))/?"
    r"|(?!/tmp/|/dev/)(?=\S*(?:\btests?/|\bspecs?/|__tests__/|\btest_|_(?:test|spec)\.|\.(?:test|spec)\.|Tests?\.))"
    r"\S+\.(?:py|jsx?|tsx?|mjs|go|rb|exs?|java|kt|rs|php|cs|cc?|cpp|swift|snap)\b"
)
_TAKES_OFF = (
    r"(?:disable[sd]?|disabling|deactivat(?:e|es|ed|ing)|(?:turn|switch|shut)(?:s|ed|ing)? off"
    r"|turn(?:s|ed|ing)? [\w `'’.-]{1,40} off|bypass(?:es|ed|ing)?|circumvent(?:s|ed|ing)?"
    r"|skip(?:s|ped|ping)?|ignor(?:e|es|ed|ing)|suppress(?:es|ed|ing)?|silenc(?:e|es|ed|ing)"
    r"|weaken(?:s|ed|ing)?|loosen(?:s|ed|ing)?|relax(?:es|ed|ing)?|allow(?:s|ed|ing)? insecure"
    r"|remov(?:e|es|ed|ing)|delete[sd]?|deleting|drop(?:s|ped|ping)?|stop(?:s|ped|ping)?"
    r"|comment(?:s|ed|ing)? out|mut(?:e|es|ed|ing)|work(?:s|ed|ing)? around)"
)
_WORD = (
    r"(?!(?:for|in|on|by|with|to|from|at|when|after|before|during|because|so|that|which|is|are|was|were)\b)"
    r"[\w`'’./@-]+ "
)
_A = rf" (?:{_WORD}){{0,4}}?"

KINDS = (
    ShortcutKind(
        "force_push",
        "A push or another command of git that throws away what others, or nobody else, has.",
        run=r"\bgit\b[^|;&\n]*?\spush\b[^|;&\n]*?\s(?:--force(?!-with-lease|-if-includes)\b|-[a-zA-Z]*f\b"
        r"|--mirror\b|\+[\w./-]+)"
        r"|\bgit\b[^|;&\n]*?\s(?:reset\s[^|;&\n]*--hard|clean\s+(?:-\S+\s+)*-\w*f|branch\s[^|;&\n]*-D\b"
        r"|stash\s+(?:drop|clear)|update-ref\s+-d|reflog\s+expire|filter-branch"
        r"|(?:checkout|switch)\s+(?:-f\b|--force\b|--discard-changes)"
        r"|worktree\s+remove\s[^|;&\n]*(?:--force|-f\b))",
        said=r"\bforce[- ]push(?:es|ed|ing)?\b|\bpush(?:es|ed|ing)? (?:[\w`'/.-]+ ){0,4}with (?:`)?(?:--force|-f)(?!-)",
    ),
    ShortcutKind(
        "hooks_skipped",
        "The checks before a commit, a push or a merge are left out.",
        run=r"--no-verify\b|\bgit\b[^|;&\n]*?\scommit\b[^|;&\n'\"]*?\s-[a-zA-Z]*n[a-zA-Z]*\b"
        r"|\bHUSKY(?:_SKIP_HOOKS)?=\S|\bLEFTHOOK=(?:0|false)|(?:^|\s)SKIP=\S|\bPRE_COMMIT_ALLOW_NO_CONFIG"
        r"|core\.hooksPath[= ]+(?:/dev/null|''|\"\"|$)|--no-gpg-sign\b|commit\.gpgsign[= ]+false"
        r"|\bpre-commit\s+uninstall\b|\bgh\s+pr\s+merge\b[^|;&\n]*\s--admin\b|\s-o\s*ci\.skip\b|--push-option[= ]ci\.skip"
        r"|\bgh\s+api\b(?=[^|;&\n]*DELETE)[^|;&\n]*(?:/protection|/rulesets)",
        said=rf"\b(?:disable[sd]?|disabling|(?:skip|bypass|uninstall)\w*){_A}hooks?\b",
    ),
    ShortcutKind(
        "failure_ignored",
        "A failure is made to count as success.",
        run=r"\|\|\s*(?:true|:|/bin/true|exit\s+0|return\s+0)|;\s*(?:true|exit\s+0)\s*$"
        r"|\bset\s+\+e\b|--exit-zero\b|--pass-?[wW]ith-?[nN]o-?[tT]ests\b|--keep-going\b.*\|\|"
        r"|-Dmaven\.test\.failure\.ignore|--no-fail\b|--allow-failures?\b|--suppress-no-test-exit-code",
        written=r"continue-on-error:\s*true|allow_failure:\s*true|ignore_errors:\s*(?:yes|true)"
        r"|failed_when:\s*false|\|\|\s*(?:true|:|exit\s+0)\s*(?:[\"']|$)|fail-fast:\s*never"
        r"|except(?:\s+(?:Base)?Exception)?(?:\s+as\s+\w+)?:\s*(?:pass|return|continue)?\s*$"
        r"|except\b[^:\n]*:\s*(?:pass|\.\.\.)\s*(?:#[^\n]*)?$|catch\s*(?:\([^)\n]*\))?\s*\{\s*(?://[^\n]*)?\}|\bsuppress\(\w|^\s*_\s*(?:,\s*_\s*)*:?=\s*err\w*\s*$"
        r"|\.catch\(\s*(?:\(?\w*\)?\s*=>\s*(?:\{\s*\}|null|undefined|void 0|false)|\w*noop)\s*\)|\brescue\s+nil\b"
        r"|\brescue\b[^\n]*\n\s*(?:nil\s*\n\s*)?end\b|(?i:on error resume next)",
        said=r"\b(?:continue-on-error|allow_failure)\b"
        rf"|\b{_TAKES_OFF}{_A}(?:(?:exit|return|error) (?:codes?|status)|failures?|exceptions?)\b"
        r"|\bswallow(?:s|ed|ing)?\b",
    ),
    ShortcutKind(
        "tests_disabled",
        "Tests are skipped, deselected, expected to fail, or deleted.",
        run=r"--deselect\b|-DskipTests|-Dmaven\.test\.skip|-DskipITs|\bSKIP_TESTS?=|--skip-tests?\b"
        r"|--no-tests?\b|\bgradlew?\b[^|;&\n]*\s(?:-x|--exclude-task)[\s=]*[\w:]|\b(?:dart|flutter)\s+test\b[^|;&\n]*\s-x\b|\bnpm\s+pkg\s+(?:delete\s+['\"]?scripts\.|set\s+['\"]?scripts\.[\w:]*=\W*(?:exit\s+0|true\b|:|echo\b))|--testPathIgnorePatterns|--exclude-tests?\b|-k\s*['\"]?not\s"
        rf"|--ignore(?:-glob)?[= ](?:{_TEST_FILE})|\bgo\s+test\b[^|;&\n]*-skip\b"
        r"|\bcargo\s+test\b[^|;&\n]*--skip\b|\bmix\s+test\b[^|;&\n]*--exclude\b"
        rf"|(?:\bgit\s+rm|(?<!git )\b(?:rm|mv|unlink|trash))\s(?:[^|;&\n]*\s)?(?:{_TEST_FILE})",
        written=r"@?\bpytest\.(?:mark\.)?(?:skip|skipif|xfail|importorskip)\b|@(?:unittest\.)?(?:skip|skipIf"
        r"|skipUnless|expectedFailure)\b|\bself\.skipTest\(|\b(?:it|test|describe|context|suite|specify)"
        r"\.(?:skip|todo|only|fixme|failing)\b|\b(?:x(?:it|test|describe|context)|f(?:it|describe))\s*\("
        r"|@(?:Ignore|Disabled)\b|\bt\.Skip(?:f|Now)?\(|#\[ignore|@(?:module)?tag\s+:?skip"
        r"|\bpending\s+[\"']|\bskip\s+[\"'(]|collect_ignore|\bmarkTestSkipped\(|\[Ignore\b|Skip\s*="
        r"|\bretryTimes\(|\bthis\.retries\(|pytest_(?:collection_modifyitems|ignore_collect|runtest_makereport|sessionfinish)|exitstatus\s*=\s*0|__test__\s*=\s*False|testPathIgnorePatterns|(?:addopts|PYTEST_ADDOPTS)\b.*(?:--ignore|--deselect|-k)",
        said=rf"\b{_TAKES_OFF}{_A}(?:[\w-]*tests|test (?:cases?|files?|suites?|functions?|class\w*)|specs?"
        r"|[\w-]*test(?=$|\W*(?:$|[\n.,;:!?)]| (?:in|for|on|with|as|until|so|that|because|and|which|when)\b)))\b"
        r"|\b(?:mark|tag)(?:s|ed|ing)? (?:[\w`'’./-]+ ){1,5}(?:as )?(?:an? )?`?(?:@?pytest\.mark\.)?(?:skip|xfail"
        r"|ignored?|expected fail\w*|flaky|pending)|\bxfail\b",
    ),
    ShortcutKind(
        "expectation_edited",
        "What a test expects, or the limit that it holds, is made to be what the code does.",
        run=r"--update-?snapshots?\b|--snapshot-update\b|--update-golden|--ci=false\s+-u\b|--inline-snapshot=(?:fix|create|update)|\bdune\s+promote\b"
        r"|\b(?:jest|vitest|playwright\s+test|npm\s+(?:run\s+)?test|yarn\s+test|pnpm\s+(?:run\s+)?test)\b"
        r"[^|;&\n]*\s-u\b|\bcargo\s+insta\s+(?:accept|review)|\bINSTA_(?:UPDATE|FORCE_UPDATE)=|\bUPDATE_(?:EXPECT"
        r"|GOLDEN|SNAPSHOTS?|SNAPS)=|--force-regen\b|--regen(?:erate)?-(?:all|golden)|\bgo\s+test\b[^|;&\n]*-update\b"
        r"|--cov-fail-under[= ]|--accept-?(?:all|snapshots?)\b"
        rf"|\bsed\b[^|;&\n]*(?:assert|expect|should)[^|;&\n]*\s(?:{_TEST_FILE})|>\s*(?:{_TEST_FILE})",
        written=r"\bfail_under\s*=|--cov-fail-under|coverageThreshold",
        said=r"\b(?:updat|chang|edit|adjust|correct|fix|regenerat|accept|relax|loosen|lower|adapt|align|set|modif|replac)\w*"
        rf" (?:{_WORD}){{0,4}}?(?:expectations?|assert(?:ion)?s?\b(?! (?:error|fail))|(?:snapshots?|golden|baselines?)(?!\.\w)"
        r"|(?:coverage|test|lint) thresholds?|toleranc\w+|expected (?:[\w-]+ ){0,2}?(?:values?|results?|outputs?|counts?|numbers?"
        r"|strings?|status\w*|responses?|totals?|sums?|texts?|errors?|messages?|from|to|in))\b"
        r"|\btests? (?:now |only |to )?expects?\b",
    ),
    ShortcutKind(
        "check_silenced",
        "A linter, a type checker or a scanner is told to look away.",
        run=r"--no-lint\b|--cap-lints\b|-Wno-(?!dev\b)\w|\s[-/]nowarn\b|-Xlint:(?:none|-)|-fpermissive\b|-suppress-warnings\b|--disable=\w|--skip-checks?\b|--no-strict\b|--ignore-missing-imports\b",
        written=r"#\s*noqa\b|#\s*type:\s*ignore|#\s*(?:pyright|mypy|pylint|ruff|flake8):\s*(?:ignore|disable|noqa"
        r"|basic|skip)|#\s*nosec\b|#\s*pragma:\s*no\s*cover|eslint-disable|tslint:disable|@ts-(?:ignore|nocheck"
        r"|expect-error)|//\s*nolint|#!?\[allow\(|rubocop:disable|@SuppressWarnings|#\s*shellcheck\s+disable"
        r"|credo:disable|@dialyzer|stylelint-disable|biome-ignore|istanbul\s+ignore|c8\s+ignore|\bas\s+any\b"
        r"|\bNOSONAR\b|#pragma\s+warning\s+disable|(?:\"?strict\"?|noImplicitAny|strictNullChecks)\"?\s*[:=]\s*false"
        r"|ignore_missing_imports\s*=\s*[Tt]rue|disallow_untyped_defs\s*=\s*(?i:false)|skipLibCheck\"?\s*:\s*true",
        said=rf"\b{_TAKES_OFF}{_A}(?:lint(?:er|ing)?|type[- ]?check\w*|eslint|ruff|mypy|pyright|clippy|checks?|warnings?|validations?"
        r"|verifications?|assertions?|guards?|strict mode|rate limit\w*|audit\w*|branch protection|(?:CI|build) (?:step|job)s?)\b"
        r"|`?(?:# ?noqa|# ?type: ?ignore|eslint-disable|@ts-ignore|@ts-nocheck|#\[allow)",
    ),
    ShortcutKind(
        "identity_unchecked",
        "Certificates, signatures, checksums or host keys are no longer verified.",
        run=r"\bcurl\b[^|;&\n]*\s(?:-[a-zA-Z]*k[a-zA-Z]*\b|--insecure)|--no-check-certificate\b|--insecure\b"
        r"|--insecure-skip-tls-verify|--trusted-host\b|--tls-verify=false|--no-check-(?:gpg|signature|valid)\w*"
        r"|--no-?gpg-?checks?\b|--allow-(?:unauthenticated|insecure-repositories|untrusted)\b|--skip-pgp-check"
        r"|--nosignature\b|--no-verify-ssl\b|--disable-?ssl\w*|--ignore-certificate-errors|--no-audit\b"
        r"|--ignore-scripts=false|--skip-?(?:checksum|signature|verification|ssl)\w*|--force-yes\b"
        r"|--no-signature\w*|--checksum-?(?:skip|off)",
        written=r"(?i)\bverify\s*[=:]\s*(?:False|:verify_none)|\bverify_(?:ssl|certs?|tls|peer)\w*\"?\s*[=:]\s*\"?(?:false|0|no)"
        r"|NODE_TLS_REJECT_UNAUTHORIZED\W+0|strict-?ssl[\s\"':=]+false|(?:http\.)?sslVerify[\s\"':=]+(?:false|0)"
        r"|GIT_SSL_NO_VERIFY|rejectUnauthorized\W+false|InsecureSkipVerify\W+true|_create_unverified_context"
        r"|CERT_NONE\b|PYTHONHTTPSVERIFY\W+0|StrictHostKeyChecking[\s=]+(?:no|off|false)|UserKnownHostsFile[\s=]+/dev/null"
        r"|sslmode[\s\"':=]+(?:disable|allow)|\[trusted=yes\]|gpgcheck\s*=\s*0|SigLevel\s*=\s*(?:Never|Optional)"
        r"|SSL_VERIFY(?:PEER|HOST)?\W+(?:false|0)|VERIFY_NONE\b|GOSUMDB\W+off|GONOSUM(?:DB|CHECK)|GOINSECURE"
        r"|GOFLAGS=\S*-insecure|DOCKER_CONTENT_TRUST\W+0|insecure-registries|check_hostname\s*=\s*False"
        r"|(?:tls|ssl|certs?|certificate)_?verif\w*\"?\s*[=:]\s*\"?(?:false|0|no|none)\b|TLS_REQCERT\W+(?:never|allow)|danger_accept_invalid|ServerCertificateValidationCallback|allowInsecure\W+true|insecure\s*[=:]\s*true"
        r"|TrustServerCertificate\s*=\s*True",
        said=rf"\b{_TAKES_OFF}{_A}(?:tls|ssl|https|certificates?|certs?|signatures?|checksums?|gpg|pgp|host[- ]keys?|hash(?:es)?)\b"
        r"|\baccept(?:s|ed|ing)? (?:[\w-]+ ){0,3}(?:self-signed|invalid|any|all) cert",
    ),
    ShortcutKind(
        "access_opened",
        "Anybody may read, write, log in or run: permissions, privileges, authentication.",
        run=r"\bchmod\s+(?:-\S+\s+)*(?:0?[0-7]?[2367][0-7]?[2367]\b|[0-7]?[0-7][0-7][2367]\b|(?:a|o|ugo|go)?\+\S*w\S*|a[=+]rwx|o[=+]\S*w)"
        r"|--privileged\b|--cap-add[= ](?:ALL|SYS_ADMIN)|--no-sandbox\b|--dangerously\S*|--disable-web-security"
        r"|--skip-grant-tables|--no-?auth\b|--allow-(?:root|all)\b|--disable-(?:auth|security|sandbox|csrf)\w*"
        r"|--yolo\b|--unsafe-perm\b|--security-opt[= ]\S*unconfined|\bpasswd\s+-d\b|--disable-setuid-sandbox"
        r"|--break-system-packages\b|\bxhost\s+\+",
        written=r"(?i)PermitRootLogin\s+yes|PermitEmptyPasswords\s+yes|PasswordAuthentication\s+yes"
        r"|HOST_AUTH_METHOD\W+trust|^\s*(?:host|local)\s.*[ \t]trust\b|xpack\.security\.enabled\W+false|protected-mode\s+no"
        r"|NOPASSWD|ALLOW_EMPTY_PASSWORD|Access-Control-Allow-Origin\W+\*|@csrf_exempt|skip_before_action\s+:(?:verify|auth)"
        r"|privileged:\s*true|\"?Principal\"?\s*:\s*\"\*\"|\b0\.0\.0\.0/0\b|allow_anonymous\W+true|permitAll\(\)|auth\w*_?enabled\W+false",
        said=rf"\b{_TAKES_OFF}{_A}(?:auth(?:entication|orization)?|logins?|passwords?|sandbox(?:ing)?|permissions?(?: checks?)?"
        r"|csrf|cors|access controls?|two-factor|2fa|mfa)\b|\b(?:chmod|mode|permissions?(?: to)?) `?0?777\b|\bworld-writable\b"
        r"|\brun(?:s|ning)? (?:it |everything |this )?as root\b",
    ),
    ShortcutKind(
        "protection_off",
        "A firewall, mandatory access control, a scanner or an audit is switched off.",
        run=r"\bufw\s+(?:--force\s+)?(?:disable|reset)|\b(?:systemctl|service|rc-service)\b[^|;&\n]*\b(?:firewalld|ufw|apparmor"
        r"|auditd|iptables|nftables|fail2ban|selinux\w*|falcon-sensor|clamav\w*|crowdsec)\b[^|;&\n]*\bstop\b"
        r"|\b(?:systemctl|service)\s[^|;&\n]*\b(?:stop|disable|mask)\b[^|;&\n]*\b(?:firewalld|ufw|apparmor|auditd|iptables"
        r"|nftables|fail2ban|falcon-sensor|clamav\w*|crowdsec)\b|\bip6?tables\s[^|;&\n]*(?:-F\b|--flush|-X\b|-P\s+\w+\s+ACCEPT)"
        r"|\bnft\s+flush|\bsetenforce\s+(?:0|[Pp]ermissive)|\baa-(?:teardown|disable|complain)\b|\bnetsh\b[^|;&\n]*\bstate\s+off"
        r"|Set-NetFirewallProfile\b[^|;&\n]*False|Set-MpPreference\b[^|;&\n]*-Disable|\bspctl\s[^|;&\n]*--(?:master|global)-disable"
        r"|\bcsrutil\s+disable|com\.apple\.quarantine|randomize_va_space\s*=\s*0|Set-ExecutionPolicy\b[^|;&\n]*(?:Unrestricted|Bypass)"
        r"|-ExecutionPolicy\s+Bypass|\bmokutil\b[^|;&\n]*--disable|\bpfctl\s+-d\b",
        written=rf"(?i)SELINUX\s*=\s*(?:{_OFF})|DisableAntiSpyware|firewall\w*\W+(?:enabled?\W+)?{_OFF}\b",
        said=rf"\b{_TAKES_OFF}{_A}(?:firewalls?|ufw|iptables|firewalld|selinux|apparmor|antivirus|virus scanners?|defender|gatekeeper"
        r"|auditd?|security (?:\w+ )?(?:features?|checks?|polic\w+|scans?|modules?|software|headers?)|protections?|safeguards?)\b"
        r"|\bsetenforce 0\b|\b(?:firewall|selinux|apparmor) (?:is |was |be |to )?(?:now )?(?:off|disabled|permissive)\b",
    ),
    ShortcutKind(
        "guard_deleted",
        "What guards others is deleted: locks, pinned versions, hooks, owners, workflows.",
        run=r"\b(?:rm|unlink|trash|del)\s[^|;&\n]*(?:\.lock\b|/lock\b|package-lock\.json|npm-shrinkwrap|go\.sum\b|-lock\.ya?ml"
        r"|\.git/hooks|\.husky|\.pre-commit-config|CODEOWNERS|\.github/(?:workflows)?|\.gitlab-ci|SHA256SUMS|\.sha256\b|\.asc\b"
        r"|\.eslintrc|known_hosts)"
        r"|\bssh-keygen\s+-R\b|--no-?lock(?:file)?\b|--no-frozen-lockfile\b",
        said=rf"\b{_TAKES_OFF}{_A}(?:lock ?files?|locks?|pins?|`?[\w./-]*\.lock`?|code ?owners?|required reviews?)\b",
    ),
)  # fmt: skip
"""In the order in which they are looked for."""
