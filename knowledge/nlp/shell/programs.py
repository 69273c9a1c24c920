"""Which programs do what: the tables that rules about commands read."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from cairn.knowledge.nlp.shell.parser import RUNNERS, SSH_OPTIONS_WITH_VALUE, Command
from cairn.knowledge.nlp.shell.words import ShellWord, operand_index, operands
from cairn.knowledge.schema.policy import Policy


@dataclass(frozen=True)
class Program:
    """What a program does: always, or by its first operand (`git archive`, `npm test`)."""

    always: str | None = None
    by_operand: Mapping[str, str] | None = None
    options: tuple[str, ...] = ()
    """Options before the first operand that take a value."""


_Does = TypeVar("_Does", str, Program)


def _words(operation: _Does, names: str) -> dict[str, _Does]:
    return dict.fromkeys(names.split(), operation)


_VERIFY, _INSTALL, _BUILD, _DEPLOY = "verification", "package_installation", "build", "deployment"
_SCRIPTS = {
    **_words(
        _VERIFY, "test t lint typecheck type-check check test:unit test:e2e vitest jest eslint"
    ),
    **_words(_BUILD, "build compile"),
}
_NPM = Program(
    by_operand={
        **_SCRIPTS,
        **_words(_INSTALL, "install i add ci"),
        **_words(_VERIFY, "audit"),
        **_words(_DEPLOY, "publish"),
    },
    options=("--prefix", "-C", "--filter", "--cwd", "-w", "--workspace"),
)
_PIP = Program(by_operand=_words(_INSTALL, "install"))
_GRADLE = Program(by_operand=_words(_VERIFY, "test check") | _words(_BUILD, "build assemble"))
_TERRAFORM = Program(by_operand={"apply": _DEPLOY, **_words(_VERIFY, "validate plan")})
_SYSTEM_PACKAGES = Program(
    by_operand=_words(_INSTALL, "install add reinstall upgrade dist-upgrade full-upgrade"),
    options=("o", "t", "c"),
)
_CONTAINERS = Program(
    always="container_management",
    by_operand={**_words(_BUILD, "build buildx"), **_words(_DEPLOY, "push")},
    options=("-H", "--host", "--context", "-f", "--file", "-p", "--project-name"),
)

_SIMPLE: dict[str, str] = {
    **_words(
        "archive_manipulation",
        "tar unzip zip gzip gunzip pigz unpigz 7z 7za 7zr 7zz bzip2 bunzip2 xz unxz zstd unzstd "
        "lz4 unrar rar cpio bsdtar gtar jar zipinfo zcat xzcat bzcat zstdcat unsquashfs mksquashfs",
    ),
    **_words(
        _VERIFY,
        "sha1sum sha224sum sha256sum sha384sum sha512sum md5sum b2sum b3sum cksum shasum md5 crc32 "
        "pytest py.test tox nox mypy pyright basedpyright flake8 pylint jest vitest mocha ava "
        "eslint stylelint shellcheck hadolint yamllint ansible-lint golangci-lint staticcheck "
        "rspec rubocop phpunit phpstan ctest cppcheck clang-tidy codespell fsck e2fsck memtester "
        "pre-commit ty bats",
    ),
    **_words("version_control", "git hg svn jj gh glab"),
    **_words(
        _BUILD,
        "make gmake cmake ninja gcc g++ clang clang++ rustc javac tsc webpack rollup esbuild vite "
        "bazel meson scons msbuild xcodebuild maturin",
    ),
    **_words(_DEPLOY, "ansible-playbook flyctl fly vercel netlify serverless cap kamal twine"),
    **_words("container_management", "docker-compose crictl ctr lxc pct minikube kind k3d"),
    **_words(
        "service_management",
        "systemctl service journalctl supervisorctl launchctl pm2 rc-service initctl rc-update",
    ),
    **_words("file_transfer", "scp rsync sftp ftp lftp wget rclone smbclient aria2c"),
    **_words("remote_access", "ssh autossh mosh"),
    **_words(
        "network_diagnosis",
        "ping ping6 traceroute tracepath mtr dig nslookup netstat ss nmap tcpdump tshark arp "
        "ifconfig iperf iperf3 ethtool nethogs iftop whois resolvectl",
    ),
    **_words(
        "database_access",
        "psql mysql mariadb sqlite3 mongosh mongo redis-cli duckdb pg_dump pg_restore pg_dumpall "
        "mysqldump mariadb-dump clickhouse-client cqlsh influx sqlcmd",
    ),
    **_words("search", "grep egrep fgrep rg ag ack find fd fdfind locate zgrep"),
    **_words("process_management", "ps kill pkill killall top htop pgrep renice"),
    **_words(
        "disk_management",
        "df du mount umount lsblk blkid mkfs fdisk parted zpool zfs btrfs mdadm smartctl hdparm "
        "lvs vgs pvs lvextend resize2fs",
    ),
    **_words("permission_change", "chmod chown chgrp setfacl"),
}

PROGRAMS: dict[str, Program] = {
    **{name: Program(operation) for name, operation in _SIMPLE.items()},
    "git": Program(
        "version_control",
        {"archive": "archive_manipulation", "fsck": _VERIFY, "grep": "search"},
        ("C", "c", "--git-dir", "--work-tree"),
    ),
    **_words(_NPM, "npm pnpm yarn bun"),
    **_words(_PIP, "pip pip3 pipx"),
    "uv": Program(
        by_operand={
            **_words(_INSTALL, "add sync pip tool"),
            **_words(_BUILD, "build"),
            **_words(_DEPLOY, "publish"),
        }
    ),
    "poetry": Program(
        by_operand={
            **_words(_INSTALL, "install add update"),
            "build": _BUILD,
            "publish": _DEPLOY,
            "check": _VERIFY,
        }
    ),
    "cargo": Program(
        by_operand={
            **_words(_VERIFY, "test t check c clippy audit nextest miri"),
            **_words(_BUILD, "build b"),
            **_words(_INSTALL, "install add"),
            **_words(_DEPLOY, "publish"),
            "fmt": "code_formatting",
        }
    ),
    "go": Program(
        by_operand={
            **_words(_VERIFY, "test vet"),
            **_words(_BUILD, "build"),
            **_words(_INSTALL, "install get"),
            "fmt": "code_formatting",
        }
    ),
    "mix": Program(
        by_operand={
            **_words(_VERIFY, "test credo dialyzer quality sobelow xref hex.audit deps.audit"),
            **_words(_BUILD, "compile assets.build release deps.compile"),
            **_words(_INSTALL, "deps.get archive.install igniter.install escript.install"),
            **_words("database_migration", "ecto.migrate ecto.rollback ash.migrate ash.setup"),
            "format": "code_formatting",
        }
    ),
    "dotnet": Program(
        by_operand={"test": _VERIFY, "build": _BUILD, "publish": _DEPLOY, "add": _INSTALL}
    ),
    "mvn": Program(
        by_operand={
            **_words(_VERIFY, "test verify"),
            **_words(_BUILD, "compile package install"),
            "deploy": _DEPLOY,
        }
    ),
    "swift": Program(by_operand={"test": _VERIFY, "build": _BUILD}),
    "xcodebuild": Program(_BUILD, {"test": _VERIFY}, ("-scheme", "-project", "-workspace")),
    "hatch": Program(by_operand={**_SCRIPTS, "publish": _DEPLOY}),
    **_words(_GRADLE, "gradle gradlew"),
    "make": Program(
        _BUILD,
        {
            **_words(_VERIFY, "test tests check lint typecheck verify"),
            **_words(_INSTALL, "install setup"),
            **_words(_DEPLOY, "deploy release publish"),
            "format": "code_formatting",
        },
        ("C", "f", "j"),
    ),
    "just": Program(by_operand=_SCRIPTS),
    "rake": Program(
        by_operand={**_words(_VERIFY, "test spec"), "db:migrate": "database_migration"}
    ),
    "rails": Program(by_operand={"test": _VERIFY, "db:migrate": "database_migration"}),
    "bundle": Program(by_operand=_words(_INSTALL, "install update add")),
    "gem": Program(by_operand=_words(_INSTALL, "install")),
    "composer": Program(by_operand=_words(_INSTALL, "install require update")),
    "alembic": Program(by_operand=_words("database_migration", "upgrade downgrade")),
    "prisma": Program(by_operand=_words("database_migration", "migrate")),
    "ruff": Program(by_operand={"check": _VERIFY, "format": "code_formatting"}),
    **_words(Program("code_formatting"), "black prettier gofmt rustfmt"),
    **_words(_SYSTEM_PACKAGES, "apt apt-get apk dnf yum zypper conda mamba snap flatpak"),
    "brew": Program(
        by_operand={
            **_words(_INSTALL, "install reinstall upgrade"),
            "services": "service_management",
        }
    ),
    **_words(_CONTAINERS, "docker podman nerdctl"),
    "kubectl": Program(
        "container_management",
        _words(_DEPLOY, "apply rollout set"),
        ("n", "--namespace", "--context", "--kubeconfig"),
    ),
    "helm": Program("container_management", _words(_DEPLOY, "install upgrade rollback")),
    **_words(_TERRAFORM, "terraform tofu"),
    "aws": Program(by_operand={"s3": "file_transfer"}, options=("--profile", "--region")),
    "openssl": Program(by_operand=_words(_VERIFY, "dgst verify sha256 md5")),
    "gpg": Program(),
    "ip": Program("network_diagnosis"),
    **_words(Program("http_request"), "curl http xh"),
}

VERIFYING_FLAGS: dict[str, frozenset[str]] = {
    "": frozenset({"--check", "--verify", "--validate", "--check-formatted", "--syntax-check"}),
    "tsc": frozenset({"--noEmit"}),
    "nginx": frozenset({"-t"}),
    "sshd": frozenset({"-t"}),
    "apachectl": frozenset({"configtest", "-t"}),
    "unzip": frozenset({"-t"}),
    "gzip": frozenset({"-t", "--test"}),
    "xz": frozenset({"-t", "--test"}),
    "bash": frozenset({"-n"}),
    "sh": frozenset({"-n"}),
    "php": frozenset({"-l"}),
    "ruby": frozenset({"-c"}),
    "node": frozenset({"-c", "--check"}),
    "visudo": frozenset({"-c"}),
}
"""Flags that check something, for any program ("") and for particular ones."""

NOT_VERIFYING = frozenset({"git", "gh", "curl", "grep", "rg", "echo"})
"""Programs for which `--verify` and the like mean something else."""

PYTHON_MODULES: dict[str, str] = {
    **_words(
        _VERIFY, "pytest unittest doctest py_compile compileall mypy pyright ruff flake8 pylint"
    ),
    **_words("archive_manipulation", "zipfile tarfile gzip"),
    **_words(_INSTALL, "pip ensurepip"),
    **_words(_BUILD, "build"),
    "black": "code_formatting",
    "alembic": "database_migration",
}


_DJANGO = {**_words(_VERIFY, "test check"), "migrate": "database_migration"}
_ABOUT_ITSELF = frozenset({"--version", "--help"})


class ProgramOperation(NamedTuple):
    """What a command does, and the words that say it."""

    type: str
    first: ShellWord
    last: ShellWord


def operations(command: Command) -> list[ProgramOperation]:
    """What kinds of operation a command is."""
    words = command.words
    first = words[0]
    found: list[ProgramOperation] = []
    name = "python" if command.name.startswith(("python", "pypy")) else command.name
    if len(words) == 2 and words[1].text in _ABOUT_ITSELF:
        return []
    if name == "python":
        for option, module in pairwise(words):
            if option.text == "-m" and module.text in PYTHON_MODULES:
                found.append(ProgramOperation(PYTHON_MODULES[module.text], first, module))
            elif option.text.rsplit("/", 1)[-1] == "manage.py" and module.text in _DJANGO:
                found.append(ProgramOperation(_DJANGO[module.text], first, module))
    elif program := PROGRAMS.get(name):
        found += _by_table(program, command)
    flags = VERIFYING_FLAGS.get(name, frozenset[str]())
    if name not in NOT_VERIFYING:
        flags |= VERIFYING_FLAGS[""]
    for word in words[1:]:
        if word.text == "--":
            break
        if word.text in flags:
            found.append(ProgramOperation(_VERIFY, first, word))
            break
    return found


@lru_cache(maxsize=64)
def learned(lines: tuple[str, ...]) -> Mapping[str, str]:
    """Patterns of `Policy.learned_operations` and their operation types, empty if dismissed."""
    parts = (line.partition("=") for line in lines)
    return MappingProxyType({pattern: kind for pattern, _, kind in parts})


def learned_operations(command: Command, policy: Policy) -> list[ProgramOperation]:
    """What a setting says that a command is which no rule names: with its operand, else alone."""
    kinds = learned(policy.learned_operations)
    if not kinds:
        return []
    verb = operand(command)
    for last in filter(None, (verb, command.words[0])):
        pattern = command.name if last is not verb else f"{command.name} {last.text}"
        if pattern in kinds:
            kind = kinds[pattern]
            return [ProgramOperation(kind, command.words[0], last)] if kind else []
    return []


def operand(command: Command) -> ShellWord | None:
    """The first operand."""
    program = PROGRAMS.get(command.name)
    at = operand_index(command.args, program.options if program else ())
    return command.args[at] if at < len(command.args) else None


def _by_table(program: Program, command: Command) -> list[ProgramOperation]:
    words = command.words
    first = words[0]
    if command.name in ("grep", "egrep", "fgrep", "rg", "zgrep") and command.piped:
        return []  # a filter of what another command says, no search
    if program.always == "remote_access" and not operands(command.args, SSH_OPTIONS_WITH_VALUE):
        return []  # `ssh -V`
    if command.name == "gpg":
        return [ProgramOperation(_VERIFY, first, word) for word in words if word.text == "--verify"]
    if command.name == "curl" and any(
        word.text in ("-O", "--remote-name", "-o", "--output", "-LO", "-OL", "-T") for word in words
    ):
        return [ProgramOperation("file_transfer", first, first)]
    if program.by_operand is not None:
        for operand in _leading(command, program):
            if kind := program.by_operand.get(operand.text):
                return [ProgramOperation(kind, first, operand)]
    return [ProgramOperation(program.always, first, first)] if program.always else []


def _leading(command: Command, program: Program) -> list[ShellWord]:
    """The operand that names what to do: the first, behind `run` the second; all of make's."""
    words = [word for word in command.args if "=" not in word.text]
    if command.name == "make":
        return operands(words, program.options)
    if command.name in ("mvn", "gradle", "gradlew"):
        return operands(words, program.options)
    at = operand_index(words, program.options)
    if at + 1 < len(words) and words[at].text in ("run", "run-script", "workspace", "exec", "do"):
        at += 1
    return [*words[at : at + 1]]


_EVERYDAY_LIST = """
ls cat head tail wc sort uniq cut tr mkdir rmdir rm cp mv ln touch chmod chown sleep date which
whereis xargs tee basename dirname grep egrep fgrep sed awk gawk find echo pwd printf seq true
false yes id whoami hostname uname env printenv stat file diff cmp comm paste rev tac nl less more
clear time timeout realpath readlink mktemp expr bc tree ps kill df du free uptime who ss top man
sh bash zsh dash ksh fish sudo su nohup watch test strings od xxd hexdump column fold split join
shuf cal locale tty stty sync install nice history login exit open start dir del copy move cls md
rd ren foreach
"""
EVERYDAY = frozenset(_EVERYDAY_LIST.split())
"""Programs that are everywhere: that one was run says nothing about what a person works with."""

_BUILTINS_LIST = """
. : [ [[ alias bg bind break builtin caller case cd command compgen complete continue declare dirs
disown do done echo elif else enable esac eval exec exit export fc fg fi for function getopts hash
help if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return
select set shift shopt source suspend test then times trap type typeset ulimit umask unalias unset
until wait while
"""
BUILTINS = frozenset(_BUILTINS_LIST.split())
"""Words of the shell itself."""

_OTHERS_LIST = """
python python3 node ruby perl php deno lua julia java kotlin scala sbt elixir iex erl ghc stack
cabal ocaml dune zig nim crystal jq yq xmllint gcloud gsutil az doctl heroku ansible vagrant packer
vault consul nomad pulumi kustomize skaffold tmux screen vim vi nvim nano emacs code ffmpeg ffprobe
magick pandoc pdflatex hugo jekyll mkdocs pdm rye pyenv nvm rbenv asdf mise direnv conda claude
codex gemini cursor aider ollama wrangler firebase supabase playwright cypress turbo nx lerna
"""
KNOWN = frozenset(PROGRAMS) | frozenset(RUNNERS) | frozenset(_OTHERS_LIST.split())
"""Programs of which the name alone says that they are some."""
