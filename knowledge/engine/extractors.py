"""What decides a row: rules, stages, prompts and models, each with a fingerprint."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_set import ModelInForce
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import EXTRACTORS


@dataclass(frozen=True)
class Extractor:
    """Something that makes rows. `version` rises when its output changes on the fixtures.

    `policy` names the fields of Policy that its output depends on, `parts` the fingerprints of what
    it is made of beside its own code: prompts, and rules whose finds it reads. One that `asks` a
    language model costs money to redo.
    """

    name: str
    kind: str
    version: int
    about: str
    policy: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    asks: bool = False

    @property
    def label(self) -> str:
        """Name and version, as rows carry it."""
        return f"{self.name}@{self.version}"

    def fingerprint(self, policy: Policy) -> str:
        """Digest of name, version, parts and the policy values that it depends on."""
        values = [f"{name}={getattr(policy, name)!r}" for name in sorted(self.policy)]
        return digest(self.kind, self.name, self.version, *values, *self.parts)


STAGE_OF = pl.col("extractor").str.extract(r"^([^@/]+)")
"""Name of the stage that a row is of: rows carry it before a version, or before a prompt."""


def by_prompts(
    stage: Extractor, prompts: Iterable[Prompt[Any]], model: ModelInForce, *more: str
) -> Extractor:
    """A stage that asks a model, with the prompts that it asks by among its parts.

    `prompts` are those that ship; what counts are their versions in force, and those beside.
    """
    asked = (
        one.fingerprint(model.model) for prompt in prompts for one in model.prompts.asked(prompt)
    )
    return replace(stage, parts=(*stage.parts, *asked, *more), asks=True)


def extractors_frame(extractors: Iterable[Extractor], policy: Policy) -> pl.DataFrame:
    """The `extractors` table: what is in force."""
    return EXTRACTORS.frame(
        {
            "name": extractor.name,
            "kind": extractor.kind,
            "version": extractor.version,
            "fingerprint": extractor.fingerprint(policy),
            "about": extractor.about,
        }
        for extractor in extractors
    )
