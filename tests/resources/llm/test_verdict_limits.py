"""Verdicts of suites: what is broken is on disk at once, what passed when all have been asked."""

from pathlib import Path

from cairn.resources.home.home import open_home
from cairn.resources.llm.verdict_limits import SuiteVerdicts


def test_what_holds_back_is_saved_at_once_and_what_passed_together(tmp_path: Path) -> None:
    home = open_home(tmp_path)
    verdicts = SuiteVerdicts(home, "me")
    verdicts.keep("facts.keys", "v1", {})
    assert verdicts.passed("facts.keys", "v1")
    assert not SuiteVerdicts(home, "me").passed("facts.keys", "v1")
    verdicts.save()
    assert SuiteVerdicts(home, "me").passed("facts.keys", "v1")

    verdicts.keep("facts.keys", "v2", {"no key twice": 3})
    assert SuiteVerdicts(home, "me").reasons == ["facts: no key twice: not so in 3 rows"]
    verdicts.keep("facts.keys", "v3", {})
    assert SuiteVerdicts(home, "me").passed("facts.keys", "v3")
    assert not SuiteVerdicts(home, "me").any_broken
