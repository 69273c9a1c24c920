"""What is shown of tables beside their rows."""

from pathlib import Path

from cairn.assets.engine.progress import StageReport
from cairn.assets.engine.run_stage import result
from cairn.assets.stages import SHOWN
from cairn.knowledge.schema.tables import FACTS, SIMILAR_FACTS
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from tests.knowledge.rows import facts


def test_similar_facts_say_how_many_pairs_were_left_out(tmp_path: Path) -> None:
    state = State(open_home(tmp_path), Settings()).of("n")
    assert SHOWN["similar_facts"](state) == {"facts_of_templates": 0, "pairs_left_out": 0}
    ports = ({"fact_id": f"f{n}", "content": f"The port is {n}"} for n in range(8000, 8030))
    state.warehouse.write(FACTS, facts(*ports, {"fact_id": "g", "content": "The port is open"}))
    shown = SHOWN["similar_facts"](state)
    # Of 435 pairs 29 are of a port and the next.
    assert shown == {"facts_of_templates": 30, "pairs_left_out": 406}
    told = result(state, SIMILAR_FACTS, StageReport("similar_facts"), shown).metadata
    assert told
    assert told["pairs_left_out"] == 406
