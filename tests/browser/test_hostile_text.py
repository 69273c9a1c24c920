"""Text of a log that wants to be more than text: a browser shows it, and does nothing else."""

import json
from pathlib import Path

from benchmarks.http import serving
from tests.browser.conftest import Open
from tests.browser.visiting import MARKS, PHONE, addresses, run

pytestmark = MARKS

SCRIPT = "<script>alert(1)</script>"
MARKUP = (
    '"><img src=x onerror=alert(2)><b onclick="alert(3)">bold</b> <a href="javascript:alert(4)">'
)
STYLE = "</main></body><style>* { display: none }</style><h1>Another</h1>"
TURNED = "\u202edesrever\u202c \u2066isolate \u2067\u200f\u0007"
LONG = "w" * 1_000_000
SHOWN = f"I like {SCRIPT} & tea."


def test_hostile_text_is_shown_and_harms_nothing(tmp_path: Path, visit: Open) -> None:
    said = [SHOWN, f"I like {MARKUP} honey.", f"I prefer {STYLE} to milk.", f"I like {TURNED} tea.",
            f"I like {LONG}.", f"Remember: {LONG} {SCRIPT}"]  # fmt: skip
    logs = tmp_path / "logs" / MARKUP.replace("/", "_")
    logs.mkdir(parents=True)
    for number, text in enumerate(said):
        lines = [
            {"role": role, "content": text, "timestamp": f"2026-03-0{number + 1}T10:0{minute}:00Z",
             "conversation_id": f"{SCRIPT[:17]}?x#y%41 {number}", "title": text[:500]}
            for minute, role in enumerate(("user", "assistant", "user"))
        ]  # fmt: skip
        (logs / f"{number}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run(tmp_path / "home", "--source", str(tmp_path / "logs"))
    with serving(tmp_path / "home") as address:
        base, texts = f"http://{address}", list[str]()
        paths = addresses(base, "default")
        paths |= {
            "query": f"/n/default/search?query={SCRIPT}{MARKUP}",
            "long": f"/n/default/search?query={'w' * 2000}",
            "entity": f"/n/default/facts?entity={SCRIPT}",
            "id": f"/n/default/facts/{SCRIPT}",
        }
        for size in ((1280, 800), PHONE):
            tab = visit(base, size=size)
            for name, path in paths.items():
                assert tab.open(path).status in {200, 400, 404}, name
                assert tab.page.evaluate("[...document.scripts].every((one) => one.src)"), name
                assert tab.page.locator("main img, main b[onclick], style").count() == 0, name
                assert tab.page.locator("h1").count() == 1, name
                assert tab.beyond() == [], name
                texts.append(tab.page.locator("body").inner_text())
                told = [line for line in tab.wrong if "status of 40" not in line]
                assert told == [], name
                tab.wrong.clear()
        assert any(SHOWN in text for text in texts)
        assert not any("\u202e" in text for text in texts)
