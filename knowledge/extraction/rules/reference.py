"""docs/rules.md, as the registry has it."""

from collections.abc import Sequence

from cairn.knowledge.extraction.rules import RULES, Rule, RuleExample

_INTRODUCTION = """\
# Rules

<!-- Made from the registry by `make rule-digests`; a test compares them. -->

What is found in logs without a language model. A rule is data and a small function in
`knowledge/extraction/rules`; each has a fixed confidence, and a version that rises when its output
changes. A rule never depends on what another one found, so a changed rule redoes its own rows and
no other.

Facts are about the project of the conversation. Where there is no project, they are about the
person who speaks, or about `user` where the source names nobody. Each keeps the words that it
stands on, with the field and the place (code points) where they are found. The subject of an
observation is `task_<record>` for what a person wrote and `action_<record>` for what an agent did.

Never kept: blank names and objects, and what redaction left nothing of.
"""

_MEANING = {
    1.0: "observed",
    0.9: "reliable grammar",
    0.8: "pattern",
    0.7: "keyword",
    0.6: "inference from language",
}


def reference(rules: Sequence[Rule] = RULES) -> str:
    """The page on rules: a table of them, and what each finds in its examples."""
    parts = [_INTRODUCTION]
    for title, kind in (("Facts", "fact"), ("Entities", "entity")):
        chosen = [rule for rule in rules if rule.kind == kind]
        parts.append(f"## {title}\n")
        parts.append("| rule | version | confidence | finds | settings |\n|---|---|---|---|---|")
        parts += [_row(rule) for rule in chosen]
        parts.append("")
        parts += [_examples(rule) for rule in chosen if rule.examples]
    return "\n".join(parts).rstrip() + "\n"


def _row(rule: Rule) -> str:
    settings = ", ".join(f"`{name}`" for name in rule.extractor.policy)
    confidence = f"{rule.confidence} ({_MEANING[rule.confidence]})"
    name = f"`{rule.name}`" + (f" ({rule.type})" if rule.type else "")
    version, about = rule.extractor.version, rule.extractor.about
    return f"| {name} | {version} | {confidence} | {about} | {settings} |"


def _examples(rule: Rule) -> str:
    return "\n".join([f"### {rule.name}\n", *(_example(example) for example in rule.examples), ""])


def _example(example: RuleExample) -> str:
    found = ", ".join(f"`{name}`" for name in example.objects) or "nothing"
    return f"- `{example.text}`: {found}"
