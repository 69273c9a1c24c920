"""What a run takes, told before it: as a range, which the runs of a home make its own."""

from pathlib import Path

from cairn.pipelines.planning.estimate import FIXED_SECONDS, estimate
from cairn.resources.home.home import open_home
from cairn.resources.home.run_times import FILE, KEPT, RunTime, note_run, run_times


def test_a_first_run_is_told_as_a_wide_range_and_a_busy_machine_widens_it() -> None:
    least, most = estimate(2_000, [])
    assert FIXED_SECONDS / 2 < least < FIXED_SECONDS < 2 * FIXED_SECONDS < most
    assert estimate(200_000, []).least > 4 * least
    assert estimate(2_000, [], busy=0.1) == (least, most)
    assert estimate(2_000, [], busy=4.0) == (least, 4 * most)


def test_the_runs_of_a_home_are_what_the_next_one_is_told_by() -> None:
    slow = [RunTime(2_000, 400.0), RunTime(1_000, 380.0)]
    least, most = estimate(1_000, slow)
    assert least < 380 < most
    assert most < 2 * 400
    assert estimate(1_000, slow, busy=9.0) == (least, most), "that is in their times"
    quick = [*slow, *[RunTime(1_000, 20.0)] * 5]
    assert estimate(1_000, quick).most < 60, "the last ones count"


def test_a_broken_line_is_no_run_and_the_last_ones_are_kept(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    assert run_times(home) == []
    for number in range(2 * KEPT + 1):
        note_run(home, RunTime(number, 1.0))
    (home.root / FILE).open("ab").write(b'{"lines": 3')
    assert [one.lines for one in run_times(home)][-1] == 2 * KEPT
    assert len((home.root / FILE).read_bytes().splitlines()) <= 2 * KEPT + 1
