"""What ships keeps contradictions apart and finds them, on the labelled sets."""

from pathlib import Path

from benchmarks.quality import lines, measured


def test_few_contradictions_merge_and_few_paraphrases_are_struck(shared_data: Path) -> None:
    result = measured(shared_data)
    assert lines(result)
    for name in ("MNLI contradictions", "own pairs that are not the same"):
        wrong = result[f"wrong merges, {name}"]
        equal_recall = [each for at, each in wrong.items() if at.startswith("at equal recall")]
        assert len(equal_recall) == 2
        assert all(each["ratio"]["all"] <= 1 / 5 for each in equal_recall)
    merged = result["merges"]["grade >= 4.5"]["ships"]
    assert merged["precision"] >= 0.95
    assert merged["recall"] >= 0.15
    found = result["contradictions"]["opposite"]
    assert found["precision"] >= 0.95
    assert found["recall"] >= 0.33
