"""What leaves no machine in a pack, and what of it stays."""

import pytest

from cairn.serving.exchange.share_rules import (
    HOME_PATH,
    HOST,
    PERSON,
    PERSONAL,
    SECRET,
    ShareRules,
    users_in,
)

RULES = ShareRules(["Mira Lindqvist", "mira", "root"], ["nas", "vault.example.net", "vault"],
                   ["~/code/shop", "~/wt/shop-2"])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("Run `/home/mira/code/shop/bin/check.sh -q`", "Run `./bin/check.sh -q`"),
        ("cd ~/code/shop && make", "cd . && make"),
        ("cat /Users/mira/Documents/taxes/2025.pdf", "cat ~/…"),
        (r"type C:\\Users\\mira\\work\\plan.txt now", "type ~/… now"),
        (r"type C:\Users\mira\work\plan.txt", "type ~/…"),
        ("less /mnt/c/Users/mira/a.txt", "less ~/…"),
        ("pytest /tmp/x and src/home/views.py", "pytest /tmp/x and src/home/views.py"),
        ("~/code/shop-api stays another project", "~/… stays another project"),
        ("the log is in /var/log/shop.log", "the log is in /var/log/shop.log"),
        ("npx @acme/lint@1 check", "npx @acme/lint@1 check"),
        ("npx lint@2.10.3 && go run acme/x@latest", "npx lint@2.10.3 && go run acme/x@latest"),
        ("npx @acme/lint@1.0.0-beta.2, then", "npx @acme/lint@1.0.0-beta.2, then"),
    ],
)
def test_paths_of_home_folders_are_cut(text: str, becomes: str) -> None:
    cleaned = RULES.cleaned(text)
    assert cleaned == becomes
    assert RULES.refuses(cleaned) is None
    assert RULES.cleaned(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("export TOKEN=ghp_" + "q7Wz" * 9, SECRET),
        ("the key is [redacted:github_token]", SECRET),
        ("write to ada@corp.example.com", PERSONAL),
        ("ssh deploy@10", HOST),
        ("ssh deploy@10.0.0.7", HOST),
        ("scp x deploy@next-door:/srv", HOST),
        ("rsync ssh/deploy@10-nas:/srv", HOST),
        ("rsync to 192.168.20.4", HOST),
        ("ping fe80::1ff:fe23:4567:890a", HOST),
        ("open 2001:db8:0:1::7", HOST),
        ("curl https://build.corp.lan:8443/x", HOST),
        ("the mirror is db1.prod.acme.io", HOST),
        ("mount NAS first", HOST),
        ("on the way to the vault", HOST),
        ("as Mira Lindqvist said", PERSON),
        ("chown MIRA build", PERSON),
        ("ls .claude/projects/-home-mira-code-shop", HOME_PATH),
        ("ls ~mira/notes", HOME_PATH),
    ],
)
def test_what_names_somebody_or_a_machine_is_left_out(text: str, why: str) -> None:
    assert RULES.refuses(RULES.cleaned(text)) == why


@pytest.mark.parametrize(
    "text",
    [
        "curl http://localhost:8080/health and 127.0.0.1",
        "git clone https://github.com/lantern/shop.git",
        "In `src/checkout/summary.ts`: `amount.toFixed(2)` became `(amount / 100).toFixed(2)`.",
        "Python 3.12.1 runs the tests; use node.js 22",
        "admiral nasal passages",
        "sudo su root",
    ],
)
def test_what_says_nothing_of_them_stays(text: str) -> None:
    assert RULES.refuses(RULES.cleaned(text)) is None


def test_users_are_told_by_their_home_folders() -> None:
    told = ["/home/ada/src", "/Users/bo", r"C:\Users\cleo\x", "/srv/app", "~/x"]
    assert users_in(told) == {"ada", "bo", "cleo"}
