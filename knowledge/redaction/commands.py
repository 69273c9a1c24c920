"""Secrets that are given to commands: as an option, an argument, or their input."""

from knowledge.redaction import judge
from knowledge.redaction.patterns import GAP, Follow, Rule


def _command(name: str, opening: str, follow: Follow, pattern: str, example: str) -> Rule:
    """A secret given to a command; the pattern goes on after the command's name."""
    return Rule(name, opening, follow, rf"\b{opening}{pattern}", example, judge.given)


COMMANDS = (
    _command(
        "sshpass", r"sshpass", Follow.OPTION, r"{seg}-p{ows}{arg}", "sshpass -p 'kiwi77' ssh nas"
    ),
    _command(
        "mysql",
        r"(?:mysql(?:dump|admin|import|check|sh|slap)?|mariadb(?:-(?:dump|admin))?|mycli)",
        Follow.OPTION,
        r"{seg}{oq}-p{arg}",
        "mysql -u root -pkiwi77 shop",
    ),
    _command(
        "mysql",
        r"mysqladmin",
        Follow.NOTHING,
        r"{seg}password{ws}{arg}",
        "mysqladmin -u root password kiwi77",
    ),
    _command(
        "login",
        r"(?:useradd|usermod)",
        Follow.OPTION,
        r"{seg}-p{ws}{arg}",
        "useradd -m -p kiwi77 bob",
    ),
    _command(
        "login",
        r"(?:sqlplus|impdp|expdp|sqlldr|(?:jdbc:)?oracle:thin:)",
        Follow.NOTHING,
        r"(?:[^\n|;&]*?\s|\b)[\w$]+/(?P<s>[^\s/@\"'\\|;&]+)(?:@|\s+\w+=)",
        "sqlplus scott/kiwi77@orcl",
    ),
    _command(
        "login",
        r"lftp",
        Follow.NOTHING,
        r"{seg}-u{ws}{oq}[^\s,]+,(?P<s>[^\s\"'\\]+)",
        "lftp -u bob,kiwi77 sftp://nas",
    ),
    _command(
        "snmp", r"snmp[a-z]+", Follow.NOTHING, r"{seg}-A{ws}{arg}", "snmpget -v3 -A kiwi77 nas"
    ),
    _command(
        "snmp", r"snmp[a-z]+", Follow.NOTHING, r"{seg}-X{ws}{arg}", "snmpget -v3 -X kiwi77 nas"
    ),
    _command(
        "curl",
        r"(?:curl|wget|skopeo|podman|buildah)",
        Follow.USER,
        r"{seg}(?:-[a-zA-Z]*[uUa]{ows}|--(?:proxy-)?user[= \t]+|--(?:src-|dest-)?creds[= \t]+"
        r"|--auth[= \t]+)(?:\"[^\s:\"'/]*:(?P<s1>[^\"\\\n]+)\"|'[^\s:\"'/]*:(?P<s2>[^'\\\n]+)'"
        r"|{oq}[^\s:\"'/]*:(?P<s>[^\s\"'`|;&<>\\]+))",
        "curl -u alice:kiwi77 https://a.example",
    ),
    _command(
        "curl",
        r"http ",
        Follow.NOTHING,
        r"(?:[^\n|;&]*?\s)??(?:-a{ows}|--auth[= ]){oq}[^\s:\"'/]*:(?P<s>[^\s\"'`|;&<>\\]+)",
        "http -a alice:kiwi77 a.example",
    ),
    Rule(
        "login",
        r"login",
        Follow.OPTION,
        r"\b(?:docker|podman|nerdctl|buildah|skopeo|oras|helm|az|oc|cf|argocd|crane){seg}login{seg}"
        r"-p{ows}{arg}",
        "docker login -u ci -p kiwi77 r.example",
        judge.given,
    ),
    _command(
        "login",
        r"(?:mongo(?:sh|dump|restore|import|export|stat)?|twine|cqlsh|evil-winrm|ncftp\w*)",
        Follow.OPTION,
        r"{seg}-p{ws}{arg}",
        "mongosh -u admin -p kiwi77",
    ),
    _command(
        "login",
        r"(?:sqlcmd|bcp|mosquitto_(?:pub|sub)|ipmitool)",
        Follow.OPTION,
        r"{seg}-P{ows}{arg}",
        "sqlcmd -S a -U sa -P 'kiwi77'",
    ),
    _command(
        "redis",
        r"(?:redis|valkey|keydb)-cli",
        Follow.OPTION,
        r"{seg}-a{ows}{arg}",
        "redis-cli -a kiwi77 ping",
    ),
    _command(
        "ldap",
        r"ldap(?:search|modify|add|delete|whoami|passwd)",
        Follow.OPTION,
        r"{seg}-w{ows}{arg}",
        "ldapsearch -x -w kiwi77 -b dc=a",
    ),
    _command(
        "rdp", r"(?:x|wl)?freerdp3?", Follow.OPTION, r"{seg}/p:{arg}", "xfreerdp /v:a /p:kiwi77"
    ),
    Rule(
        "archive",
        rf"zip{GAP}+-",
        Follow.NOTHING,
        r"\b(?:un)?zip{ws}(?:-[^\n|;&]*?\s)??-P{ws}{arg}",
        "unzip -P kiwi77 a.zip",
        judge.given,
    ),
    Rule(
        "archive",
        rf"(?:7z[arz]?|rar){GAP}+[a-z]{{1,2}}{GAP}",
        Follow.NOTHING,
        r"\b(?:7z[arz]?|(?:un)?rar){ws}[a-z]{1,2}{seg}-h?p{arg}",
        "7z x -pkiwi77 a.7z",
        judge.given,
    ),
    _command(
        "openssl",
        r"openssl(?:[ \t]|\\t)+enc",
        Follow.OPTION,
        r"{seg}-[kK]{ws}{arg}",
        "openssl enc -d -k kiwi77 -in a",
    ),
    _command(
        "ssh_keygen",
        r"ssh-keygen",
        Follow.OPTION,
        r"{seg}-N{ows}{arg}",
        "ssh-keygen -N 'kiwi77' -f a",
    ),
    _command(
        "ssh_keygen",
        r"ssh-keygen",
        Follow.OPTION,
        r"{seg}-P{ows}{arg}",
        "ssh-keygen -p -P 'kiwi77' -f a",
    ),
    Rule(
        "openssl",
        rf"-pass(?:in|out)?(?:{GAP}|=)+pass:",
        Follow.NOTHING,
        r"-pass(?:in|out)?[ \t=]+{oq}pass:{arg}",
        "openssl rsa -in a -passin pass:kiwi77",
        judge.given,
    ),
    Rule(
        "smb",
        rf"(?:-U|--user=){GAP}*[\w.@/\\-]+%[^\s]",
        Follow.NOTHING,
        r"\b(?:smb\w+|rpcclient|winexe|wmic|mount\.cifs|net (?:rpc|ads)){seg}"
        r"(?:-U{ows}|--user=){oq}[\w.@/\\-]+%(?P<s>[^\s\"'\\]+)",
        "smbclient //a/b -U 'bob%kiwi77'",
        judge.given,
    ),
    _command(
        "net_use",
        r"net use",
        Follow.NOTHING,
        r"{ws}\S+{ws}(?:\S+{ws})?(?P<s>[^\s/-]\S*){ws}/(?i:user):",
        r"net use \\srv\a kiwi77 /user:bob",
    ),
    Rule(
        "stdin",
        rf"(?:--password-stdin|--with-token|--stdin|sudo{GAP}+(?:-\S+{GAP}+)*-\w*S|cryptsetup)",
        Follow.NOTHING,
        r"\b(?:echo|printf){ws}(?:-n{ws}|{q}%s[^\s\"']*{q}{ws})?{arg}{ows}\|(?:[^\n|]*?"
        r"(?:--password-stdin|--with-token|--stdin|cryptsetup)|{ows}sudo{ws}(?:-\S+{ws})*?-\w*S)",
        "echo 'kiwi77' | sudo -S true",
        judge.given,
    ),
    Rule(
        "stdin",
        rf"(?:--password-stdin|--with-token|--stdin|--passphrase-fd|cryptsetup|sudo{GAP}+-S)",
        Follow.NOTHING,
        r"(?:--password-stdin|--with-token|--stdin|--passphrase-fd|cryptsetup|sudo{ws}-S)"
        r"[^\n|;&]*?<<<{ows}{arg}",
        "gh auth login --with-token <<< kiwi77a1b2",
        judge.given,
    ),
    Rule(
        "stdin",
        rf"(?:sshpass{GAP}+-f|(?i:pass[a-z]*[_-](?:file|command)))(?:[=\s\"'\\<(]|u003[cC]|u002[27])*(?:echo|printf)",
        Follow.NOTHING,
        r"(?:\bsshpass{ws}-f|(?i:pass[a-z]*[_-](?:file|command)))[ \t=]*{oq}(?:<\({ows})?"
        r"(?:echo|printf){ws}(?:-n{ws})?{arg}",
        "sshpass -f <(echo kiwi77) ssh nas",
        judge.given,
    ),
    _command(
        "store",
        r"gh secret set",
        Follow.NOTHING,
        r"{seg}(?:--body|-b)[ \t=]+{arg}",
        "gh secret set DEPLOY_KEY --body kiwi77",
    ),
    _command(
        "store",
        r"put-parameter",
        Follow.NOTHING,
        r"{seg}SecureString{seg}--value[ \t=]+{arg}",
        "aws ssm put-parameter --name a --type SecureString --value kiwi77",
    ),
    Rule(
        "chpasswd",
        r"chpasswd",
        Follow.NOTHING,
        r"\b(?:echo|printf){ws}{oq}[\w.-]+:(?P<s>[^\s\"'|\\]+){oq}{ows}\|[^\n|]*?chpasswd",
        "echo 'bob:kiwi77' | chpasswd",
        judge.given,
    ),
    _command(
        "htpasswd",
        r"htpasswd",
        Follow.NOTHING,
        r"{ws}(?:-\w+{ws})*?(?:-\w*n\w*b\w*|-\w*bn\w*|-\w*b\w*{ws}(?:-\w+{ws})*\S+){ws}\S+{ws}{arg}",
        "htpasswd -b .htpasswd bob kiwi77",
    ),
    _command(
        "vault",
        rf"vault{GAP}+login",
        Follow.NOTHING,
        r"{ws}(?:-\S+{ws})*{arg}",
        "vault login s.a1B2c3D4",
    ),
    Rule(
        "aws_configure",
        rf"(?:secret_access_key|session_token){GAP}",
        Follow.NOTHING,
        r"\bconfigure{ws}set{ws}\S*(?:secret_access_key|session_token){ws}{arg}",
        "aws configure set aws_secret_access_key " + "a1B2" * 10,
        judge.given,
    ),
    _command(
        "wifi",
        r"nmcli",
        Follow.NOTHING,
        r"{seg}(?:password|psk){ws}{arg}",
        "nmcli d wifi connect a password kiwi77",
    ),
    _command(
        "wifi",
        r"wpa_passphrase",
        Follow.NOTHING,
        r"{ws}[^\s=]+{ws}{arg}",
        "wpa_passphrase home kiwi77",
    ),
)
