"""Keys: shown once, kept as digests, gone at once when they are removed."""

import json
import stat
from pathlib import Path

import pytest

from cairn.resources.home.api_keys import KeyListError, Keyring, add_key, list_keys, remove_key
from cairn.resources.home.home import Home, open_home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home")


def test_a_key_is_kept_as_its_digest_alone(home: Home) -> None:
    secret, key = add_key(home, ["b", "a", "a"], read_only=True, name="the wiki's bot")
    assert secret not in home.keys.read_text()
    assert stat.S_IMODE(home.keys.stat().st_mode) == 0o600
    assert list_keys(home) == [key]
    assert (key.namespaces, key.read_only, key.name) == (("a", "b"), True, "the wiki's bot")
    assert add_key(home, ["a"])[0] != secret


def test_a_keyring_follows_the_list(home: Home) -> None:
    ring = Keyring(home)
    assert ring.keys() == []
    assert ring.whose("") is None
    one, first = add_key(home, ["a"])
    other, second = add_key(home, ["b"])
    assert (ring.whose(one), ring.whose(other)) == (first, second)
    for wrong in ("", one[:-1], one + "x", first.sha256, "\ud800"):
        assert ring.whose(wrong) is None
    assert remove_key(home, first.key_id) == first
    assert (ring.whose(one), ring.whose(other)) == (None, second)


def test_what_cannot_be_trusted_is_refused(home: Home) -> None:
    for namespaces in ([], ["../a"]):
        with pytest.raises(ValueError, match="namespace"):
            add_key(home, namespaces)
    with pytest.raises(KeyListError, match="no key has the id k_0"):
        remove_key(home, "k_0")
    secret, _ = add_key(home, ["a"])
    ring = Keyring(home)
    assert ring.whose(secret)
    home.keys.chmod(0o644)
    for ask in (lambda: list_keys(home), lambda: ring.whose(secret)):
        with pytest.raises(KeyListError, match="chmod 600"):
            ask()
    home.keys.chmod(0o600)
    assert ring.whose(secret)
    for odd in ("{", "3", "[3]", json.dumps([{"key_id": "k_1"}])):
        home.keys.write_text(odd)
        with pytest.raises(KeyListError, match="mend or remove it"):
            ring.keys()
