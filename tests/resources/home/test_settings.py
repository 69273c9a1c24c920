"""Settings: where each comes from, and what a wrong one says."""

import logging
from pathlib import Path

import pytest

from cairn.resources.home.settings import MASK, ConfigError, Settings, explain, load_settings


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder and a home, with nothing set but the home."""
    for name in ("here", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    return tmp_path


def _source(name: str) -> str:
    return next(each.source for each in explain() if each.name == name)


def test_environment_beats_the_working_folder_beats_the_home_beats_defaults(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = folders / "home" / "cairn.toml", folders / "here" / "cairn.toml"
    home.write_text(
        'timezone = "Europe/Berlin"\nmodel = "one"\n[policy]\nmin_name_similarity = 0.2\n'
        "merge_similarity = 0.9\n"
    )
    here.write_text('model = "two"\n[policy]\nmin_name_similarity = 0.3\n')
    monkeypatch.setenv("CAIRN_POLICY__MIN_NAME_SIMILARITY", "0.4")
    settings = load_settings()
    assert settings.timezone == "Europe/Berlin"
    assert settings.model == "two"
    assert settings.policy.min_name_similarity == 0.4
    assert settings.policy.merge_similarity == 0.9
    assert _source("timezone") == _source("policy.merge_similarity") == str(home)
    assert _source("model") == str(here)
    assert _source("policy.min_name_similarity") == "CAIRN_POLICY__MIN_NAME_SIMILARITY"
    assert _source("policy.decay_per_day") == "default"


def test_every_setting_is_explained() -> None:
    rows = explain()
    plain = {name for name in Settings.model_fields if name != "policy"}
    assert plain <= {row.name for row in rows}
    assert all(row.description for row in rows)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("colour = 1", "here/cairn.toml: colour: no such setting"),
        ("[policy]\nfloor = 1", "here/cairn.toml: policy.floor: no such setting"),
        ('[policy]\nmin_name_similarity = "high"', "here/cairn.toml: policy.min_name_similarity"),
        ('timezone = "Mars/Olympus"', "here/cairn.toml: timezone: no such timezone"),
        ('namespace = "../x"', "here/cairn.toml: namespace: "),
        ("[limits]\nsearches = 5", "here/cairn.toml: limits.searches: a table is asked for"),
        ('[limits."a b"]\nsearches = 5', "here/cairn.toml: limits.a b: 'a b' cannot be a name"),
        ("[policy", "here/cairn.toml: "),
        ('Timezone = "Europe/Berlin"', "here/cairn.toml: Timezone: no such setting; `timezone`"),
        ("[Policy]\nmerge_similarity = 0.9", "here/cairn.toml: Policy: no such setting; `policy`"),
        ("[policy]\ndecay_per_day = nan", "here/cairn.toml: policy.decay_per_day: "),
        ("[policy]\nchannel_silence_hours = 1e300", "policy.channel_silence_hours: "),
        ("cache_bytes = " + "9" * 5_000, "here/cairn.toml: "),
    ],
)
def test_a_wrong_key_is_named_with_its_file(folders: Path, text: str, says: str) -> None:
    (folders / "here" / "cairn.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert says in str(caught.value)


def test_a_mark_of_the_order_of_bytes_is_passed_over(folders: Path) -> None:
    (folders / "here" / "cairn.toml").write_bytes(b'\xef\xbb\xbftimezone = "Europe/Berlin"\r\n')
    assert load_settings().timezone == "Europe/Berlin"


@pytest.mark.parametrize("name", ["CAIRN_TIMZONE", "CAIRN_POLICY__FLOOR"])
def test_a_misspelt_variable_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "0.5")
    with pytest.raises(ConfigError, match=name):
        load_settings()


def test_secrets_are_masked_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_STORAGE_OPTIONS__AWS_SECRET_ACCESS_KEY", "hunter2")
    monkeypatch.setenv("CAIRN_QDRANT_API_KEY", "hunter2")
    assert "hunter2" not in repr(load_settings()) + repr(explain())
    values = {row.name: row.value for row in explain()}
    assert values["storage_options"] == f"aws_secret_access_key={MASK}"
    assert values["qdrant_api_key"] == MASK


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CAIRN_QDRANT_URL", "localhost:6333", "http://127.0.0.1:6333"),
        ("CAIRN_QDRANT_URL", "https://key@qdrant.example.net", "a key in it"),
        ("CAIRN_QDRANT_PREFIX", "a~b", "pattern"),
    ],
)
def test_addresses_and_names_of_a_server_are_checked(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=f"{name}.*{says}"):
        load_settings()


def test_a_setting_is_read_by_the_name_that_it_had_with_one_warning(
    folders: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = folders / "home" / "cairn.toml"
    file.write_text("[policy]\nstruck_out_share = 0.2  # mine\n")
    monkeypatch.setenv("CAIRN_POLICY__LEARNING_BAR", "0.7")
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            policy = load_settings().policy
    assert (policy.max_retraction_ratio, policy.min_learning_confidence) == (0.2, 0.7)
    told = f"{file}: the setting policy.struck_out_share is called policy.max_retraction_ratio now"
    assert caplog.messages.count(told) == 1
    assert _source("policy.max_retraction_ratio") == str(file)
    assert _source("policy.min_learning_confidence") == "CAIRN_POLICY__LEARNING_BAR"
    assert "# mine" in file.read_text(), "what a person wrote is left as it is"


def test_a_setting_by_both_names_is_refused(folders: Path) -> None:
    text = "[policy]\nstruck_out_share = 0.2\nmax_retraction_ratio = 0.3\n"
    (folders / "here" / "cairn.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"struck_out_share: is policy\.max_retraction_ratio now"):
        load_settings()
