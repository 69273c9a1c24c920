"""What decides a row: rules, stages, prompts and models, each with a fingerprint."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from knowledge.identity import digest
from knowledge.policy import Policy
from knowledge.tables import EXTRACTORS


@dataclass(frozen=True)
class Extractor:
    """Something that makes rows. `version` rises when its output changes on the fixtures.

    `policy` names the fields of Policy that its output depends on, `parts` the fingerprints of what
    it is made of beside its own code: prompts, and rules whose finds it reads.
    """

    name: str
    kind: str
    version: int
    about: str
    policy: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Name and version, as rows carry it."""
        return f"{self.name}@{self.version}"

    def fingerprint(self, policy: Policy) -> str:
        """Digest of name, version, parts and the policy values that it depends on."""
        values = [f"{name}={getattr(policy, name)!r}" for name in sorted(self.policy)]
        return digest(self.kind, self.name, self.version, *values, *self.parts)


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
