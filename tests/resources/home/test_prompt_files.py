"""A person's own prompts: versions of those that ship, others beside, and what is wrong in one."""

from pathlib import Path

import pytest

from cairn.assets.pending.in_force import in_force
from cairn.knowledge.llm.prompts import ENTITY_FACTS, NAMES, PROMPTS
from cairn.knowledge.schema.policy import Policy
from cairn.resources.home.prompt_files import as_toml, prompt_in
from cairn.resources.home.settings import ConfigError, Settings

OWN = 'beside = "entity_facts"\nabout = "Doses."\nrequirements = "List every dose."\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    return tmp_path / "prompts"


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_written_to_a_file_and_read_again_is_the_same_version(
    name: str, tmp_path: Path
) -> None:
    file = tmp_path / f"{name}.toml"
    file.write_text(as_toml(PROMPTS[name]))
    assert prompt_in(file).fingerprint("m") == PROMPTS[name].fingerprint("m")


def test_a_file_replaces_what_it_names_and_what_stands_above_it_is_made_anew(folder: Path) -> None:
    def fingerprints() -> dict[str, str]:
        settings = Settings(home=folder.parent, prompts_dir=Path("prompts"), model="m")
        return {each.name: each.fingerprint(Policy()) for each in in_force(settings)}

    before = fingerprints()
    assert before == {
        each.name: each.fingerprint(Policy()) for each in in_force(Settings(model="m"))
    }
    (folder / "names.toml").write_text('criteria = """\nOnly the best.\n"""\n')
    after = fingerprints()
    assert {name for name in before if after[name] != before[name]} == {"names", "full_mode"}
    own = Settings(home=folder.parent, prompts_dir=Path("prompts")).prompts
    assert own.version(NAMES).criteria == "Only the best."
    assert own.version(NAMES).requirements == NAMES.requirements
    assert own.own == ("names",)


def test_a_file_of_another_name_is_asked_beside_the_one_that_it_names(folder: Path) -> None:
    (folder / "doses.toml").write_text(OWN)
    (folder / "README.md").write_text("Not a prompt.")
    prompts = Settings(home=folder.parent, prompts_dir=folder).prompts
    shipped, own = prompts.asked(ENTITY_FACTS)
    assert shipped is ENTITY_FACTS
    assert (own.name, own.requirements, own.output) == (
        "doses", "List every dose.", ENTITY_FACTS.output,
    )  # fmt: skip
    assert prompts.asked(NAMES) == (NAMES,)


EXAMPLE = '[[examples]]\ndata = "Ann met Quorvane."\n[examples.answer]\n'
WRONG = {
    "syntax": ("names", 'about = "x"\ncriteria = "y\n', 2, "Illegal character"),
    "unknown": ("names", "about = '''\ncriterium = 1\n'''\ncriterium = 'x'\n", 4, "did you mean"),
    "type": ("names", 'about = "x"\nmax_tokens = "many"\n', 2, "max_tokens: Input should be"),
    "empty": ("names", 'criteria = ""\n', 1, "criteria: String should have at least"),
    "of nobody": ("nmes", 'about = "x"\n', 1, "did you mean names?"),
    "missing": ("doses", 'beside = "names"\nabout = "x"\n', 1, "requirements: is missing"),
    "not beside": ("doses", 'about = "x"\nbeside = "structure"\n', 2, "is one of names, entity_f"),
    "ships": ("names", 'beside = "entity_facts"\n', 1, "names ships, and is not asked beside"),
    "no name": ("No-Name", 'about = "x"\n', 1, "no prompt: its file is called NAME.toml"),
    "answer": (
        "names",
        f'{EXAMPLE}names = []\n{EXAMPLE}[[examples.answer.names]]\nname = "x"\nmessage = 1\n',
        8, "examples.1.answer.names.0.quote: is missing",
    ),
    "canary": ("names", EXAMPLE.replace("Quorvane", "Bob"), 1, "the invented names by which"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_by_file_and_line(folder: Path, case: str) -> None:
    name, text, line, told = WRONG[case]
    (folder / f"{name}.toml").write_text(text)
    with pytest.raises(ConfigError) as error:
        _ = Settings(home=folder.parent, prompts_dir=folder).prompts
    assert str(error.value).startswith(f"{folder / name}.toml:{line}: ")
    assert told in str(error.value)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"prompts_dir: .*nowhere: No such file or directory"):
        _ = Settings(home=tmp_path, prompts_dir=Path("nowhere")).prompts
