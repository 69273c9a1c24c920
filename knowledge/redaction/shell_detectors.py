"""Secrets that are given to commands: as an option, an argument, or their input."""

from collections.abc import Callable

from cairn.knowledge.redaction import scoring, shapes
from cairn.knowledge.redaction.patterns import GAP, Follow, SecretRule
from cairn.knowledge.redaction.scoring import SecretMatch


def command(name: str, opening: str, follow: Follow, pattern: str, example: str) -> SecretRule:
    """A secret given to a command; the pattern goes on after the command's name."""
    return SecretRule(name, opening, follow, rf"\b{opening}{pattern}", example, scoring.given)


BETWEEN = r"[\s\",]+"
"""What stands between the words of a command in raw JSON, as a line or as a list."""


def _given(
    commands: str,
    pattern: str,
    example: str,
    decides: Callable[[SecretMatch], bool] = scoring.argument,
    each: str = "",
) -> SecretRule:
    """A secret among the words after commands, which are written with blanks, one a line."""
    lines = [line.strip() for line in commands.strip().split("\n")]
    start = "|".join(line.replace(" ", " +") for line in lines)
    opening = tuple(line.replace(" ", BETWEEN) for line in lines)
    pattern = rf"\b(?:{start}){pattern}"
    return SecretRule("store", opening, Follow.NOTHING, pattern, example, decides, each=each)


_GIVEN_OUT = r"""
    vault (?:operator (?:unseal|rekey|generate-root)|unwrap)
    consul acl set-agent-token
    (?:ngrok|config) (?:add-)?authtoken
    cloudflared (?:service install|tunnel run)
    (?:wandb|cargo|supabase|huggingface-cli|hf auth|sentry-cli|twilio|stripe|ibmcloud) login
    (?:snyk|b2 account) auth(?:orize)?
    b2 authorize-account
    (?:composer|poetry|bundle|conda|pip|npm|yarn|pnpm) config
    (?:atlas|scw|infracost|pulumi|snyk|mc|rclone|influx) config
    mc (?:alias set|admin user add)
    (?:hcloud context create|influx setup|circleci setup|codecov|llm keys set)
    (?:nuget|gem) push
    (?:nuget setapikey|choco apikey|civo apikey (?:add|save))
    (?:glab variable|doppler configure|dotnet user-secrets|keyvault secret|artisan key:)(?: |)set
    config set-credentials
    dvc remote modify
    (?:netbird|tailscale) up
"""
"""Commands that are handed what a service gave out."""

_NAME_AND_WORD = r"""
    rabbitmqctl (?:-n \S+ )?(?:add_user|change_password|authenticate_user)
    emqx(?:_| )ctl admins (?:add|passwd)
    samba-tool user (?:create|add)
    dru(?:sh|pal) (?:user:password|user-password|upwd)
    bw login
    net user
    ejabberdctl register
    ipmitool user set password
    networksetup -setairportnetwork en[0-9]
    (?:poetry|composer)(?: global)? config(?: --?g\w*)? http-basic\.\S+
    cf auth
    chamber write \S+
    (?:minio-)?mc admin user add \S+
    database put \S+
"""
"""Commands that are handed a name, and a password after it."""

# Options of those below that take a value, which is no secret.
_VALUED = (
    r"-(?:m|salt|-method|-salt|-rounds|(?:-stdin)?-name|-(?:encrypt-)?vault-id|-vault-password-file|-output"
    r"|-homepath|-config)"
)
_WORD = r"""
    bw unlock
    rclone obscure
    mkpasswd
    openssl passwd
    neo4j-admin (?:dbms )?set-initial-password
    ansible-vault encrypt_string
    mvn (?:--encrypt-password|--encrypt-master-password|-emp|-ep)
    grafana(?:-| )cli admin reset-admin-password
    x11vnc -passwd
"""
"""Commands that are handed a password alone."""

COMMANDS = (
    command("sshpass", r"sshpass", Follow.OPTION, r"{seg}-p{ows}{arg}",
        "sshpass -p 'kiwi77' ssh nas"),
    command("mysql",
        r"(?:mysql(?:dump|admin|import|check|sh|slap)?|mariadb(?:-(?:dump|admin))?|mycli)",
        Follow.OPTION, r"{seg}{oq}-p{arg}", "mysql -u root -pkiwi77 shop"),
    command("mysql", r"mysqladmin", Follow.NOTHING, r"{seg}password{ws}{arg}",
        "mysqladmin -u root password kiwi77"),
    command("login", r"(?:useradd|usermod)", Follow.OPTION, r"{seg}-p{ws}{arg}",
        "useradd -m -p kiwi77 bob"),
    command("login", r"(?:sqlplus|impdp|expdp|sqlldr|(?:jdbc:)?oracle:thin:)", Follow.NOTHING,
        r"(?:[^\n|;&]*?\s|\b)[\w$]+/(?P<s>[^\s/@\"'\\|;&]+)(?:@|\s+\w+=)",
        "sqlplus scott/kiwi77@orcl"),
    command("login", r"lftp", Follow.NOTHING, r"{seg}-u{ws}{oq}[^\s,]+,(?P<s>[^\s\"'\\]+)",
        "lftp -u bob,kiwi77 sftp://nas"),
    command("snmp", r"snmp[a-z]+", Follow.NOTHING, r"{seg}-A{ws}{arg}",
        "snmpget -v3 -A kiwi77 nas"),
    command("snmp", r"snmp[a-z]+", Follow.NOTHING, r"{seg}-X{ws}{arg}",
        "snmpget -v3 -X kiwi77 nas"),
    command("curl", r"(?:curl|wget|skopeo|podman|buildah)", Follow.USER,
        r"{seg}(?:-[a-zA-Z]*[uUa]{ows}|--(?:proxy-)?user[= \t]+|--(?:src-|dest-)?creds[= \t]+"
        r"|--auth[= \t]+)(?:\"[^\s:\"'/]*:(?P<s1>[^\"\\\n]+)\"|'[^\s:\"'/]*:(?P<s2>[^'\\\n]+)'"
        r"|{oq}[^\s:\"'/]*:(?P<s>[^\s\"'`|;&<>\\]+))",
        "curl -u alice:kiwi77 https://a.example"),
    command("curl", r"http ", Follow.NOTHING,
        r"(?:[^\n|;&]*?\s)??(?:-a{ows}|--auth[= ]){oq}[^\s:\"'/]*:(?P<s>[^\s\"'`|;&<>\\]+)",
        "http -a alice:kiwi77 a.example"),
    SecretRule("login", r"login", Follow.OPTION,
        r"\b(?:docker|podman|nerdctl|buildah|skopeo|oras|helm|az|oc|cf|argocd|crane){seg}login{seg}"
        r"-p{ows}{arg}",
        "docker login -u ci -p kiwi77 r.example", scoring.given),
    command("login",
        r"(?:mongo(?:sh|dump|restore|import|export|stat)?|twine|cqlsh|evil-winrm|ncftp\w*|nxc|netexec"
        r"|crackmapexec|hydra|cypher-shell|beeline|couchbase-cli|steghide|influx|nuget|caddy|doveadm"
        r"|altool|keychain|(?:uv|poetry|hatch|vsce|ovsx|pdm)(?:\s|\\t|\",\s?\")publish|psexec)",
        Follow.OPTION, r"{seg}-p{ws}{arg}", "mongosh -u admin -p kiwi77"),
    command("login", r"(?:sqlcmd|bcp|mosquitto_(?:pub|sub)|ipmitool)", Follow.OPTION,
        r"{seg}-P{ows}{arg}", "sqlcmd -S a -U sa -P 'kiwi77'"),
    command("redis", r"(?:redis|valkey|keydb)-cli", Follow.OPTION, r"{seg}-a{ows}{arg}",
        "redis-cli -a kiwi77 ping"),
    command("ldap", r"ldap(?:search|modify|add|delete|whoami|passwd)", Follow.OPTION,
        r"{seg}-w{ows}{arg}", "ldapsearch -x -w kiwi77 -b dc=a"),
    command("rdp", r"(?:x|wl)?freerdp3?", Follow.OPTION, r"{seg}/p:{arg}",
        "xfreerdp /v:a /p:kiwi77"),
    SecretRule("archive", rf"zip{GAP}+-", Follow.NOTHING,
        r"\b(?:un)?zip{ws}(?:-[^\n|;&]*?\s)??-P{ws}{arg}", "unzip -P kiwi77 a.zip", scoring.given),
    SecretRule("archive", rf"(?:7z[arz]?|rar){GAP}+[a-z]{{1,2}}{GAP}", Follow.NOTHING,
        r"\b(?:7z[arz]?|(?:un)?rar){ws}[a-z]{1,2}{seg}-h?p{arg}", "7z x -pkiwi77 a.7z",
        scoring.given),
    command("openssl", r"openssl(?:[ \t]|\\t)+enc", Follow.OPTION, r"{seg}-[kK]{ws}{arg}",
        "openssl enc -d -k kiwi77 -in a"),
    command("ssh_keygen", r"ssh-keygen", Follow.OPTION, r"{seg}-N{ows}{arg}",
        "ssh-keygen -N 'kiwi77' -f a"),
    command("ssh_keygen", r"ssh-keygen", Follow.OPTION, r"{seg}-P{ows}{arg}",
        "ssh-keygen -p -P 'kiwi77' -f a"),
    SecretRule("openssl", rf"-pass(?:in|out)?(?:{GAP}|=)+pass:", Follow.NOTHING,
        r"-pass(?:in|out)?[ \t=]+{oq}pass:{arg}", "openssl rsa -in a -passin pass:kiwi77",
        scoring.given),
    SecretRule("smb", rf"(?:-U|--user=){GAP}*[\w.@/\\-]+%[^\s]", Follow.NOTHING,
        r"\b(?:smb\w+|rpcclient|winexe|wmic|mount\.cifs|net (?:rpc|ads)){seg}"
        r"(?:-U{ows}|--user=){oq}[\w.@/\\-]+%(?P<s>[^\s\"'\\]+)",
        "smbclient //a/b -U 'bob%kiwi77'", scoring.given),
    command("net_use", r"net use", Follow.NOTHING,
        r"{ws}\S+{ws}(?:\S+{ws})?(?P<s>[^\s/-]\S*){ws}/(?i:user):",
        r"net use \\srv\a kiwi77 /user:bob"),
    command("store", r"gh secret set", Follow.NOTHING, r"{seg}(?:--body|-b)[ \t=]+{arg}",
        "gh secret set DEPLOY_KEY --body kiwi77"),
    command("store", r"put-parameter", Follow.NOTHING, r"{seg}SecureString{seg}--value[ \t=]+{arg}",
        "aws ssm put-parameter --name a --type SecureString --value kiwi77"),
    command("htpasswd", r"htpasswd", Follow.NOTHING,
        r"{ws}(?:-\w+{ws})*?(?:-\w*n\w*b\w*|-\w*bn\w*|-\w*b\w*{ws}(?:-\w+{ws})*\S+){ws}\S+{ws}{arg}",
        "htpasswd -b .htpasswd bob kiwi77"),
    command("vault", rf"vault{GAP}+login", Follow.NOTHING,
        r"{ws}(?:-\S+{ws})*(?P<s>[\w.+/-]{8,})(?:[\s\"'`;|&)]|$)", "vault login s.a1B2c3D4"),
    _given(_GIVEN_OUT, r"\b(?P<rest>[^\n|;&]*)",
        "vault operator unseal -non-interactive " + "a1B2" * 11 + "=", scoring.credential,
        each=r"(?:[\s\"'=]|base64:)(?P<s>[\w+/=~-]{16,})"),
    _given(_NAME_AND_WORD, r"(?:{ws}-\S+)*{ws}[^\s-]\S*(?:{ws}-\S+)*{ws}{arg}",
        "rabbitmqctl add_user app kiwi77"),
    _given(_WORD, rf"(?:{{ws}}(?P<key>{_VALUED}{{ws}}\S+|-\S+))*{{ws}}{{arg}}",
        "bw unlock kiwi-77b", shapes.word),
    command("ldap", r"(?:ldappasswd|slappasswd)", Follow.NOTHING, r"{seg}-[sa]{ws}{arg}",
        "ldappasswd -x -s kiwi77 uid=bob"),
    command("store", r"etcdctl", Follow.NOTHING,
        r"{seg}(?:--user[ \t=]+|user{ws}(?:add|passwd){ws}){oq}[\w.-]+:(?P<s>[^\s\"'\\]+)",
        "etcdctl user add root:kiwi77"),
    command("redis", r"(?:redis|valkey|keydb)-cli", Follow.NOTHING,
        r"{seg}(?i:auth){ws}(?:[a-z]\w*{ws})??{arg}[ \t]*(?:[\n;|&)`]|$)", "redis-cli AUTH kiwi77"),
    command("redis", r"(?:redis|valkey|keydb)-cli", Follow.NOTHING,
        r"{seg}(?i:acl{ws}setuser)[^\n|;]*?[\s\"'\\]>(?P<s>[^\s\"'\\]+)",
        "redis-cli ACL SETUSER app on '>kiwi77' ~*"),
    command("store", r"mosquitto_(?:passwd|ctrl)", Follow.NOTHING,
        r"{seg}-\w*b\w*{ws}\S+{ws}\S+{ws}{arg}", "mosquitto_passwd -b pwfile sensor kiwi77"),
    SecretRule("store",
        rf"(?:secrets?|keyvault|kv)(?:[: ]|{GAP})+(?:set|put|add|create|import)|from-literal",
        Follow.NOTHING,
        r"(?:\b(?:secrets?|kv|keyvault)[: \t]+(?:set|put|add|create|import)|--from-literal)\b"
        r"(?P<rest>[^\n|;&]*)",
        "fly secrets set CONN=kiwi-77b", scoring.entry,
        each=r"[\s\"'=](?P<key>[A-Za-z][\w.-]*)(?P<sep>=)[\"']?(?P<s>[^\s\"'`;|&<>()\\=-][^\s\"'`;|&<>()\\]*)"),
    command("store", r"(?:plink|pscp|psftp|kitty|nodetool|kadmin(?:\.local)?|winexe)",
        Follow.NOTHING, r"{seg}-p?w{ws}{arg}", "plink -pw kiwi77 root@nas"),
    command("store", r"pdftk", Follow.NOTHING, r"{seg}(?:user|owner|input)_pw{ws}{arg}",
        "pdftk a.pdf output b.pdf user_pw kiwi77"),
    command("curl", r"curl", Follow.NOTHING,
        r"{seg}(?:-E|--cert){ws}{oq}[^\s:\"']+:(?P<s>[^\s\"'\\]+)",
        "curl --cert a.pem:kiwi77 https://a.example"),
    command("store", r"secretsmanager", Follow.NOTHING, r"{seg}--secret-string[ \t=]+{arg}",
        "aws secretsmanager create-secret --name a --secret-string kiwi77"),
    SecretRule("aws_configure", rf"(?:secret_access_key|session_token){GAP}", Follow.NOTHING,
        r"\bconfigure{ws}set{ws}\S*(?:secret_access_key|session_token){ws}{arg}",
        "aws configure set aws_secret_access_key " + "a1B2" * 10, scoring.given),
    command("wifi", r"nmcli", Follow.NOTHING, r"{seg}(?:password|psk){ws}{arg}",
        "nmcli d wifi connect a password kiwi77"),
    command("wifi", r"wpa_passphrase", Follow.NOTHING, r"{ws}[^\s=]+{ws}{arg}",
        "wpa_passphrase home kiwi77"),
)  # fmt: skip
