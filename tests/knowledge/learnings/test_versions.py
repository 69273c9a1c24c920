"""What earlier prompts wrote of the messages that a learning rests on."""

import polars as pl

from knowledge.learnings.versions import VERSIONS, versions


def test_each_answer_of_the_prompt_is_a_version_and_one_is_in_force():
    answers = pl.DataFrame(
        [
            ("learning_bug_fix", "new", "m2", '{"lessons": [{"title": "B", "symptom": "s"}]}', "2"),
            ("learning_bug_fix", "old", "m1", '{"lessons": [{"title": "A", "content": "c"}]}', "1"),
            ("learning_bug_fix", "html", "m1", "<html>", "3"),
            ("learning_bug_fix", "null", "m1", None, "4"),
            ("learning_bug_fix", "list", "m1", '[{"lessons": "none"}]', "5"),
            ("learning_decision", "new", "m2", '{"lessons": [{"title": "C"}]}', "2"),
        ],
        schema=["prompt", "fingerprint", "model", "text", "made_at"],
        orient="row",
    )
    found = versions(answers, "learning_model/learning_bug_fix@new")
    assert found.rows() == [
        ("1", "learning_model/learning_bug_fix@old", "m1", "A", '{"content": "c"}', False),
        ("2", "learning_model/learning_bug_fix@new", "m2", "B", '{"symptom": "s"}', True),
    ]
    assert versions(answers, "learning.stated_decision@2").equals(pl.DataFrame(schema=VERSIONS))
