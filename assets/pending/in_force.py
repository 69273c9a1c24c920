"""The rules, stages and models in force."""

from cairn.assets.pending import raw_logs
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.ingest.adapters import adapters
from cairn.resources.home.settings import Settings


def in_force(settings: Settings) -> list[Extractor]:
    """Everything with a fingerprint: adapters, rules, stages, and prompts if a model is set."""
    read = [Extractor(a.name, "adapter", a.version, a.about) for a in adapters().values()]
    model = settings.model_in_force
    stages = [stage.in_force(model) for stage in STAGES]
    by_day = [each for step in BY_CONVERSATION for each in step.extractors(settings)]
    prompts: list[Extractor] = []
    if model:
        prompts = [
            Extractor(one.name, "prompt", 1, one.about, parts=(one.fingerprint(model.model),))
            for one in model.prompts.by_name.values()
        ]
    return [*read, raw_logs.STAGE, *by_day, *stages, *prompts]
