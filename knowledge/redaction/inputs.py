"""Secrets that a command reads: from a pipe, a here-string, a process substitution."""

from cairn.knowledge.redaction import scoring, shapes
from cairn.knowledge.redaction.patterns import GAP, Follow, SecretRule

_LESS = r"(?:<|u003[cC])"
_SAY = (
    r"(?:(?:echo|printf|print)(?:{ws}-[neE]+|{ws}--)*(?:{ws}{oq}(?:%s|%b)[^\s\"']*{oq})?{ws}"
    r"|cat{ows}<<<{ows})(?:\$)?{arg}"
)
_SAYS = r"(?:echo|printf|print|cat(?:\s|\\t)*(?:<|\\*u003[cC]){3})"
"""What writes a secret: with options and a format before it."""

# Commands that read a secret, and options that name where they read it from.
_OPTIONS = (
    r"(?:--password-stdin|--with-token|--stdin|--passphrase-fd|--pinentry-mode|--data-file"
    r"|--key-file|(?i:pass[a-z]*[_-](?:file|command|stdin))|(?:key|token|secret|pass\w*)=-)"
)
_READERS = (
    r"(?:su|passwd|smbpasswd|cryptsetup|kinit|ssh-add|bw|keepassxc-cli|htpasswd|secret-tool|age"
    r"|vncpasswd|ecryptfs-\w+|gocryptfs|veracrypt|systemd-creds|kubeseal)"
)
_STORES = (
    r"(?:zfs|vault|vercel|wrangler|gh|glab|docker|podman|fly(?:ctl)?|gcloud|az|doppler|supabase"
    r"|firebase|hcloud|heroku|op|pass|gopass|ansible-vault|\w+-keystore|step|kubectl|nomad|railway"
    r"|netlify|eas)"
)
_TAKES = (
    r"(?:secrets?(?::\w+)?|env|login|auth|insert|add|keyvault|context|encrypt_string|unseal|kv|var"
    r"|load-key)"
)
_READS = (
    rf"(?:{_OPTIONS}|-pass(?:in|out)?(?:{{ws}}|=)(?:stdin|fd:)|\bsudo{{ws}}(?:-\S+{{ws}})*?-\w*S\b"
    rf"|\b(?:{_READERS}|{_STORES}{{ws}}(?:[\w:/.-]+{{ws}})*?{_TAKES})(?:[\s;\"']|$))"
)
_PIPED = rf"\|(?:\s|\\t)*(?:sudo(?:\s|\\t)+)?(?:{_READERS}|{_STORES}|sudo)[\s\"'\\]"
_CRYPT = (
    r"(?i:curl|pass|secret|key|token|cred|luks|identity|vault|auth|sudo|kinit|\bage\b|\bgpg\b"
    r"|restic|\bzip|\b7z|\brar|mysql|psql|user)"
)


def _input(opening: str | tuple[str, ...], pattern: str, example: str) -> SecretRule:
    return SecretRule("stdin", opening, Follow.NOTHING, pattern, example, shapes.said)


INPUTS = (
    _input((_PIPED, _OPTIONS, r"-pass(?:in|out)?(?:[ \t=]|\\t)+(?:stdin|fd:)"),
        rf"\b{_SAY}{{ows}}\|(?:[^\n|]*?\s(?:{_OPTIONS}|-pass(?:in|out)?[ \t=]+(?:stdin|fd:))"
        rf"|{{ows}}(?:sudo{{ws}})??{_READS})",
        "echo 'kiwi77' | sudo -S true"),
    _input(r"(?:<|\\*u003[cC]){3}[^\n<]",
        rf"(?:{_READS}|\b(?:sshpass|gpg|openssl)\b)[^\n;&]*?<<<{{ows}}\$?{{arg}}",
        "gh auth login --with-token <<< kiwi77a1b2"),
    _input(rf"{_LESS}\({GAP}*{_SAYS}", rf"{_CRYPT}[^\n|;]*?<\({{ows}}{_SAY}",
        "wg set wg0 private-key <(echo kiwi77a1b2)"),
    _input(rf"\$\({GAP}*{_SAYS}", rf"{_CRYPT}[^\n|;]*?\$\({{ows}}{_SAY}{{ows}}\)",
        'curl -u "bob:$(echo kiwi77)" https://a.example'),
    _input(r"(?i:pass[a-z]*[_-]?(?:file|command))(?:[=\s\"'\\]|u002[27])*(?:echo|printf)",
        rf"(?i:pass[a-z]*[_-]?(?:file|command))[ \t=]*{{oq}}{_SAY}",
        'BORG_PASSCOMMAND="echo kiwi77"'),
    _input(rf"{_LESS}\({GAP}*{_SAYS}",
        rf"<\({{ows}}{_SAY}{{ows}}\)[^\n|]*?\|{{ows}}(?:sudo{{ws}})??{_READS}",
        "cat <(echo kiwi77a1b2) | sudo -S true"),
    SecretRule(  # a format, and what stands in its places
        "stdin",
        rf"(?:{_LESS}|\$)\({GAP}*printf",
        Follow.NOTHING,
        rf"{_CRYPT}[^\n|;]*?[<$]\({{ows}}printf{{ws}}(?:'[^'\n]*%[^'\n]*'|\"[^\"\n]*%[^\"\n]*\")(?P<rest>[^\n|;)]*)",
        "curl -K <(printf 'user = \"bob:%s\"' kiwi77a1b2) https://a.example",
        shapes.said,
        each=r"[\s]\$?[\"']?(?P<s>[^\s\"'`$][^\s\"'`]*)",
    ),
    SecretRule("chpasswd", r"chpasswd", Follow.NOTHING,
        r"\b(?:echo|printf){ws}(?:-\w+{ws})?{oq}[\w.-]+:(?P<s>[^\s\"'|\\]+){oq}{ows}\|[^\n|]*?chpasswd",
        "echo 'bob:kiwi77' | chpasswd", scoring.given),
    SecretRule("chpasswd", r"chpasswd", Follow.NOTHING,
        r"\bchpasswd\b[^\n|;&]*?<<<{ows}{oq}[\w.-]+:(?P<s>[^\s\"'|\\]+)",
        "chpasswd <<< 'bob:kiwi77'", scoring.given),
    SecretRule("manifest", r"stringData", Follow.NOTHING,
        r"\bstringData:[ \t]*(?:\n[ \t]+[^\n]*?)??\n[ \t]+(?P<key>[\w.-]+)(?P<sep>:)[ \t]*{oq}"
        r"(?P<s>[^\s\"'|>{}]+)",
        "stringData:\n  conn: kiwi77", scoring.entry),
)  # fmt: skip
