"""Names that mean one thing everywhere, and what kind of thing some of them are.

Small on purpose: a name stands here only if its short form has no other meaning among people who
write software (`tf` and `es` have several). What a namespace itself says of names comes from its
statements (knowledge/resolution/alias_statements.py).
"""

_SAME = """
amazon web services = aws
apache kafka = kafka
cplusplus = c++ = cpp
express.js = expressjs
github = gh
github actions = gh actions
go = golang
google cloud platform = gcp = google cloud
internationalization = i18n
javascript = js = ecmascript
kubernetes = k8s
localization = l10n
macos = mac os = mac os x = osx = os x
mongodb = mongo
next.js = nextjs
node.js = nodejs
nuxt.js = nuxtjs
postgresql = postgres = pgsql
raspberry pi = raspi
react = react.js = reactjs
accessibility = a11y
observability = o11y
typescript = ts
visual studio code = vs code = vscode
vue = vue.js = vuejs
windows subsystem for linux = wsl
"""
SAME = tuple(tuple(line.split(" = ")) for line in _SAME.strip().splitlines())
"""Groups of names of one thing each; the first stands for the others."""

_SHORT = """
administrator: admin
application: app
authentication: auth
certificate: cert
configuration: config cfg
database: db
department: dept
development: dev
documentation: docs
environment: env
implementation: impl
information: info
infrastructure: infra
international: intl
library: lib
management: mgmt
manager: mgr
message: msg
organization: org
package: pkg
parameter: param
password: passwd pwd
performance: perf
production: prod
repository: repo
server: srv
service: svc
specification: spec
standard: std
statistics: stats
university: univ uni
utility: util
version: ver
"""
SHORT = {
    short: long
    for long, _, shorts in (line.partition(": ") for line in _SHORT.strip().splitlines())
    for short in shorts.split()
}
"""Short forms of words, as they are written in names of several: "prod db"."""

LEGAL_FORMS = frozenset(
    ("ag", "corp", "corporation", "gmbh", "inc", "incorporated", "limited", "llc", "ltd", "plc")
)
"""What may stand behind the name of a company."""

_COMMON = """
and with of for by the a an in on at to or
album ale app apartment application avenue ave bar basic beer blvd book box brewery brewing business
cafe card case cd co college company complete corp deluxe digital dvd edition english explicit feat
featuring for full group home hotel inc international kit limited live llc ltd mac media model music
new official old online original pack package pc pizza plus premium pro product professional
program rd remastered remix restaurant retail road school series service services set shop single
software song songs special st standard store street studio system systems the university update
upgrade user users version vol volume web win windows with
"""
COMMON = frozenset(_COMMON.split())
"""Words that many names of things and records have, and that tell little of them."""

_KINDS = """
database, db, rdbms: postgresql mysql mariadb sqlite redis mongodb cassandra cockroachdb clickhouse
  duckdb elasticsearch influxdb neo4j dynamodb firestore qdrant
framework, web framework: django flask rails laravel fastapi express.js angular svelte vue
  next.js nuxt.js react pytest symfony
library: react numpy pandas polars pydantic sqlalchemy jquery lodash tensorflow pytorch
language, programming language: python go rust java javascript typescript ruby php kotlin swift
  scala haskell elixir erlang perl lua zig c c++ c#
editor, code editor, text editor: vim neovim emacs sublime helix visual-studio-code zed
app, application: obsidian notion spotify whatsapp telegram todoist
tool, cli: terraform ansible rsync restic borg jq ripgrep curl git ruff mypy eslint webpack vite
web server, server: nginx apache caddy traefik
media server: plex jellyfin
browser, web browser: firefox chrome chromium safari
shell: bash zsh powershell
operating system, os: linux windows macos android ios freebsd
linux, distribution, distro: debian ubuntu fedora nixos
platform, software: kubernetes docker home-assistant grafana prometheus jenkins nextcloud
package manager: npm pnpm pip homebrew
"""


def _kinds() -> dict[str, frozenset[str]]:
    kinds: dict[str, set[str]] = {}
    for line in _KINDS.strip().replace("\n  ", " ").splitlines():
        heads, names = line.split(": ")
        for head in heads.split(", "):
            kinds.setdefault(head, set()).update(name.replace("-", " ") for name in names.split())
    return {head: frozenset(names) for head, names in kinds.items()}


KINDS = _kinds()
"""Kind of thing, as a word after a name ("Postgres database"), to names that are of that kind."""

SURE = frozenset(name for names in KINDS.values() for name in names)
"""Names that are known everywhere."""

HEADS = frozenset(KINDS) | {
    "service", "project", "repository", "repo", "codebase", "package", "bot", "website", "site",
    "company", "team", "system", "program", "script", "plugin", "client", "device", "machine",
}  # fmt: skip
"""Words for a kind that may follow a name without changing what is meant, if the thing is one."""

TITLES = frozenset(("dr", "mr", "mrs", "ms", "prof", "professor", "sir"))
"""What may stand before a person's name."""

SPELLINGS = (
    (r"\be-(?=[a-z]{3})", "e"),
    (r"isation(s?)\b", r"ization\1"),
    (r"(?<=\w{3})yse(s?|d|r)\b", r"yze\1"),  # codespell:ignore yse
    (r"\b(col|behavi|flav|fav|lab|harb|neighb|hon|hum|rum|arm)our", r"\1or"),
    (r"\b(cen|theat|met|lit|fib)re(s?)\b", r"\1er\2"),
    (r"\b(catal|dial|anal)ogue", r"\1og"),
    (r"\blicence", "license"),
    (r"\bgrey\b", "gray"),
    (r"\bprogramme(s?)\b", r"program\1"),
    (r"\b(travel|model|label|cancel|signal)l(ed|ing|er)\b", r"\1\2"),
)
"""British spellings, as patterns, and the American ones."""
