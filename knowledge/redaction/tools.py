"""Secrets that are given to single tools, each in a way of its own."""

from cairn.knowledge.redaction import scoring, shapes
from cairn.knowledge.redaction.patterns import GAP, Follow, SecretRule
from cairn.knowledge.redaction.shell_detectors import BETWEEN, command

TOOLS = (
    command("login", r"snowsql", Follow.NOTHING, r"{seg}-p{ows}{arg}", "snowsql -u bob -p kiwi77"),
    command("login", r"security(?:\s|[\",]|\\t)+[a-z]+-[a-z]+-password", Follow.NOTHING,
        r"{seg}-w{ws}{arg}", "security add-generic-password -a bob -s mail -w kiwi77"),
    command("store", r"signtool(?:\.exe)?", Follow.NOTHING, r"{seg}/p{ws}{arg}",
        "signtool sign /f a.pfx /p kiwi77 a.exe"),
    SecretRule("store", r"functions:config:set", Follow.NOTHING,
        r"\bfunctions:config:set\b(?P<rest>[^\n|;&]*)",
        'firebase functions:config:set mail.key="kiwi-77b"', shapes.setting,
        each=r"[\s\"'](?P<key>[A-Za-z][\w.-]*)=[\"']?(?P<s>[^\s\"'`;|&<>()\\=-][^\s\"'`;|&<>()\\]*)"),
    command("store", rf"bundle{BETWEEN}config", Follow.NOTHING,
        r"(?:{ws}set)?(?:{ws}--?\w+)*{ws}[\w-]+(?:\.|__)[\w.-]+{ws}{oq}[\w.@+-]+:(?P<s>[^\s\"'\\]+)",
        "bundle config set --global gems.example.com bob:kiwi77"),
    SecretRule("store", r"join[\s\",]+[\w.:\[\]-]+:25000\\*/[0-9a-f]{16}", Follow.NOTHING,
        r"\bjoin{ws}[\w.:\[\]-]+:25000{sl}(?P<s>[0-9a-f]{32}(?:{sl}[0-9a-f]{8,})?)",
        "microk8s join 10.0.0.4:25000/" + "a1b2" * 8 + "/" + "c3d4" * 3, scoring.given),
    SecretRule("store", r"_config\\*/admins", Follow.NOTHING,
        r"_config{sl}admins{sl}[\w.-]+[^\n|;&]*?(?:-d|--data(?:-\w+)?)(?:{ws}|=)?['\"\\]+(?P<s>[^\s\"'\\]+)",
        "curl -X PUT a.example/_node/_local/_config/admins/bob -d '\"kiwi77\"'", scoring.given),
    SecretRule(  # Impacket's, by the way that they write a target
        "login",
        rf"(?:(?:exec|dump|SPNs|NPUsers|client|sid)\.py|impacket-\w+){GAP}",
        Follow.NOTHING,
        r"(?:(?:exec|dump|SPNs|NPUsers|client|sid)\.py|\bimpacket-\w+){seg}{oq}(?:[\w.-]+/)?[\w.$-]+:{oq}"
        r"(?P<s>[^\s\"'\\@/]+){oq}@",
        "impacket-psexec corp/bob:kiwi77@10.0.0.9",
        scoring.given,
    ),
    command("store", rf"rclone{BETWEEN}config{BETWEEN}(?:create|update|password)", Follow.NOTHING,
        r"{seg}(?:pass|password2?|secret_access_key){ws}{arg}",
        "rclone config create nas sftp user bob pass kiwi77"),
    SecretRule("store", rf"kubeadm{BETWEEN}(?:token|join)", Follow.NOTHING,
        r"\bkubeadm{seg}(?P<s>[a-z0-9]{6}\.[a-z0-9]{16})\b",
        "kubeadm token create abcdef.0123456789abcdef", scoring.given),
)  # fmt: skip
