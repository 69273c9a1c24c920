"""The rules, stages and models in force."""

from cairn.assets.pending import raw_logs
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.llm.prompts import PROMPTS
from cairn.resources.home.settings import Settings


def in_force(settings: Settings) -> list[Extractor]:
    """Everything with a fingerprint: adapters, rules, stages, and prompts if a model is set."""
    read = [Extractor(a.name, "adapter", a.version, a.about) for a in adapters().values()]
    model = settings.model
    stages = [stage.in_force(model) for stage in STAGES]
    prompts = [
        Extractor(prompt.name, "prompt", 1, prompt.about, parts=(prompt.fingerprint(model),))
        for prompt in PROMPTS.values()
        if model
    ]
    by_day = [each for step in BY_CONVERSATION for each in step.extractors(settings)]
    return [*read, raw_logs.STAGE, *by_day, *stages, *prompts]
