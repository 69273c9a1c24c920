"""Which folders are one project, by git, paths, remotes and files; and which are not."""

import json
from datetime import timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.assembly.build import build_from_logs
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.practices.file_edits import file_edits
from cairn.knowledge.practices.places.checkouts import checkouts
from cairn.knowledge.practices.places.projects import in_projects, names_of, projects, projects_at
from cairn.knowledge.practices.places.repositories import origin_among, remote_of
from cairn.knowledge.resolution.one_repository import of_one_repository
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import CHECKOUTS
from tests.knowledge.conftest import BEGIN

SSH, WEB = "git@code.example:ada/shop.git", "https://code.example/ada/shop"
LISTED = """\
/home/ada/src/shop            1f2e3d4 [main]
/home/ada/src/hotfix          4d3e2f1 [hotfix/tax]
/srv/wt/old one               9a8b7c6 (detached HEAD) prunable
"""


def shown(remote: str, name: str = "origin") -> str:
    return f"{name}\t{remote} (fetch)\n{name}\t{remote} (push)\n"


@pytest.fixture
def seen(session):
    """CHECKOUTS of sessions: (folder, (command, output) or a file that was edited, ...)."""

    def rows(*sessions: tuple) -> pl.DataFrame:
        made = []
        for at, (folder, *events) in enumerate(sessions):
            said = [
                ("run", *event) if isinstance(event, tuple) else ("edit", event, "a", "b")
                for event in (events or [("ls", "")])
            ]
            logs = session(*said, conversation=f"c{at}", project=folder.replace("/home/ada", "~"))
            made.append(logs.with_columns(cwd=pl.lit(folder)))
        return checkouts(pl.concat(made))

    return rows


@pytest.fixture
def together(seen):
    """The folders of each project, of sessions as `seen` has them."""

    def groups(*sessions: tuple) -> dict[str, list[str]]:
        found = projects(seen(*sessions)).filter(pl.col("conversations") > 0)
        grouped = found.group_by("project").agg(pl.col("folder").sort())
        return dict(sorted(grouped.iter_rows()))

    return groups


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        (SSH, "code.example/ada/shop"),
        (WEB, "code.example/ada/shop"),
        ("ssh://git@code.example:2222/ada/shop.git", "code.example/ada/shop"),
        ("https://ada:pw@Code.Example/Ada/Shop.git/", "code.example/ada/shop"),
        ("/srv/git/shop.git", None),
        ("../shop", None),
        ("<repo-url>", None),
        ("http://localhost:3000/shop", None),
        ("[trimmed]", None),
    ],
)
def test_addresses_of_one_remote_are_one(url, remote):
    assert remote_of(url) == remote


def test_of_several_remotes_the_origin_counts():
    assert origin_among(shown(WEB) + shown("https://code.example/up/shop", "upstream")) == (
        "code.example/ada/shop"
    )
    assert origin_among(shown(WEB, "mine")) == "code.example/ada/shop"
    assert origin_among(shown(WEB, "mine") + shown("https://x.example/a/b", "theirs")) is None


def test_checkouts_of_one_remote_are_one_project(together):
    asked = ("git remote -v", shown(SSH))
    assert together(
        ("/home/ada/src/shop", asked),
        ("/home/ada/work/shop-2", ("cd . && git remote get-url origin", WEB)),
        ("/home/ada/tmp/shop", ("git -C /home/ada/tmp/shop remote -v | head -1", shown(SSH))),
    ) == {"~/src/shop": ["~/src/shop", "~/tmp/shop", "~/work/shop-2"]}


def test_a_clone_may_be_called_otherwise(together):
    assert together(
        ("/home/ada/src/shop", ("git remote -v", shown(SSH))),
        ("/home/ada/src", (f"git clone --depth 1 {WEB} till", "Cloning into 'till'...")),
        ("/home/ada/src/till",),
    ) == {"~/src": ["~/src"], "~/src/shop": ["~/src/shop", "~/src/till"]}


def test_folders_of_one_checkout_are_not_taken_for_checkouts(together):
    """Two packages of a repository have its remote, and none is a copy of the other."""
    asked = ("git remote -v", shown(SSH))
    apart = ["/srv/mono/web", "/srv/mono/api", "/srv/shop/shop-web", "/srv/shop/shop-api"]
    found = together(*((folder, asked) for folder in apart))
    assert found == {folder: [folder] for folder in sorted(apart)}


def test_a_folder_of_a_checkout_is_of_its_project(seen, together):
    asked = ("git remote -v", shown(SSH))
    within = "/srv/mono/packages/till"
    whole = ("/srv/mono", asked)
    assert together((within, asked), whole) == {"/srv/mono": ["/srv/mono", within]}
    made = projects(seen((within, asked), whole))
    rows = pl.DataFrame(
        {"namespace": "default", "project": [within, within, "/srv/mono"], "folder": ["", "a", ""],
         "path": ["x.py", "a/x.py", "x.py"]}
    )  # fmt: skip
    assert in_projects(rows, made).rows() == [
        ("default", "/srv/mono", "packages/till", "packages/till/x.py"),
        ("default", "/srv/mono", "packages/till/a", "packages/till/a/x.py"),
        ("default", "/srv/mono", "", "x.py"),
    ]
    files = [f"{within}/x.py", "/srv/mono/x.py", "/srv/mono/packages/till/y.py"]
    entities = pl.DataFrame(
        {"namespace": "default", "entity_id": files, "name": files, "type": "path"}
    )
    assert of_one_repository(entities, made).is_empty()


def test_a_checkout_within_another_keeps_its_files_and_another_remote_stays_apart(seen, together):
    clone = (f"git clone {WEB} tmp/again", "Cloning into 'tmp/again'...")
    made = projects(seen(("/srv/shop", ("git remote -v", shown(SSH)), clone)))
    assert made.select("folder", "project", "inside").rows() == [
        ("/srv/shop", "/srv/shop", ""), ("/srv/shop/tmp/again", "/srv/shop", "")
    ]  # fmt: skip
    other = ("git remote -v", shown("https://code.example/corp/tax"))
    apart = together(("/srv/shop", ("git remote -v", shown(SSH))), ("/srv/shop/vendor/tax", other))
    assert list(apart) == ["/srv/shop", "/srv/shop/vendor/tax"]


@pytest.mark.parametrize(
    "folder", ["wt/shop-tax", "wt/shop/tax", "worktree/shop", "worktrees/shop/a"]
)
def test_a_folder_of_worktrees_has_those_of_the_project_they_are_called_as(together, folder):
    assert together((f"~/src/{folder}",), ("~/src/shop",)) == {
        "~/src/shop": sorted(["~/src/shop", f"~/src/{folder}"])
    }
    several = (f"~/src/{folder}",), ("~/old/shop",), ("~/new/shop",)
    assert len(together(*several)) == 3, "of which?"
    assert len(together(*several, ("~/src/shop",))["~/src/shop"]) == 2, "of the one beside it"
    assert len(together((f"~/src/{folder}",), ("~/src/sho",))) == 2
    elsewhere = ("git remote -v", shown("https://code.example/corp/tax"))
    ours = ("~/src/shop", ("git remote -v", shown(SSH)))
    assert len(together((f"~/src/{folder}", elsewhere), ours)) == 2


def test_the_longest_name_that_a_worktree_begins_with_is_its_projects(together):
    found = together(("~/wt/shop-api-tax",), ("~/src/shop",), ("~/src/shop-api",))
    assert found["~/src/shop-api"] == ["~/src/shop-api", "~/wt/shop-api-tax"]


def test_a_worktree_of_another_name_is_known_by_its_remote(together):
    asked = ("git remote -v", shown(SSH))
    assert together(("~/wt/calm-fox", asked), ("~/src/shop", asked)) == {
        "~/src/shop": ["~/src/shop", "~/wt/calm-fox"]
    }


def test_two_repositories_of_one_name_stay_two(seen, together):
    deep = [f"/home/ada/{{}}/api/a/b/c/part{at}.py" for at in range(9)]
    one = ("/home/ada/mine/api", ("git remote -v", shown("https://code.example/ada/api")))
    two = ("/home/ada/corp/api", ("git remote -v", shown("https://code.example/corp/api")))
    of_one = [path.format("mine") for path in deep]
    of_two = [path.format("corp") for path in deep]
    kept = ("/home/ada/.codex/worktrees/1f2e/api",)
    assert together((*one, *of_one), (*two, *of_two), kept) == {
        folder: [folder] for folder in ("~/.codex/worktrees/1f2e/api", "~/corp/api", "~/mine/api")
    }, "nor is it known of which of them an agent made a worktree"
    made = projects(seen(one, two))
    assert made["name"].to_list() == ["corp/api", "ada/api"]
    assert projects_at("api", made) == ["ada/api", "corp/api"]
    assert projects_at("/home/ada/corp/api/src", made) == ["corp/api"]


def test_git_says_what_a_worktree_is_of(together):
    for told in (
        ("git worktree list", LISTED),
        ("git worktree list --porcelain", "worktree /home/ada/src/shop\nHEAD 1f2e3d4\n\n"
         "worktree /home/ada/src/hotfix\nHEAD 4d3e2f1\nbranch refs/heads/hotfix\n"),
    ):  # fmt: skip
        assert together(("/home/ada/src/hotfix", told), ("/home/ada/src/shop",)) == {
            "~/src/shop": ["~/src/hotfix", "~/src/shop"]
        }
    added = ("git worktree add -b hotfix ../hotfix main", "Preparing worktree (new branch)")
    assert together(("/home/ada/src/shop", added), ("/home/ada/src/hotfix",)) == {
        "~/src/shop": ["~/src/hotfix", "~/src/shop"]
    }


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git worktree add ../hotfix main", "fatal: '../hotfix' already exists"),
        ("git worktree add ../../hotfix", "Preparing worktree (detached HEAD 1f2e3d4)"),
        ('git worktree add "$DIR"', "Preparing worktree (detached HEAD 1f2e3d4)"),
        ("(cd ../till && git worktree add ../hotfix)", "Preparing worktree"),
        ("echo 'git worktree add ../hotfix'", "git worktree add ../hotfix"),
        ("git worktree list | tail -1", "/home/ada/src/hotfix  4d3e2f1 [hotfix]"),
        ("cat notes.txt # git", LISTED),
    ],
)
def test_no_worktree_is_made_of_less(together, command, output):
    found = together(("/home/ada/src/shop", (command, output)), ("/home/ada/src/hotfix",))
    assert found == {folder: [folder] for folder in ("~/src/hotfix", "~/src/shop")}


def test_a_bare_repository_gives_its_name(seen):
    listed = "/srv/shop/.bare  (bare)\n/srv/shop/main  1f2e3d4 [main]\n/srv/shop/tax 4d3e2f1 [tax]"
    made = projects(seen(("/srv/shop/main", ("git worktree list", listed)), ("/srv/shop/tax",)))
    assert made.select("folder", "name").rows() == [
        ("/srv/shop", "shop"), ("/srv/shop/main", "shop"), ("/srv/shop/tax", "shop")
    ]  # fmt: skip


def test_worktrees_that_agents_keep_are_of_the_project_of_their_name(together):
    assert together(
        ("/home/ada/src/shop",), ("/home/ada/.codex/worktrees/1f2e/shop",),
        ("/home/ada/.cursor/worktrees/shop",),
    ) == {
        "~/src/shop": ["~/.codex/worktrees/1f2e/shop", "~/.cursor/worktrees/shop", "~/src/shop"]
    }  # fmt: skip


def test_the_same_name_and_files_are_one_tree_a_few_common_ones_are_not(together):
    def files(root: str, count: int) -> list[str]:
        return [f"{root}/cmd/till/receipts/part{at}.go" for at in range(count)]

    root = ("/home/ada/src/till", *files("/home/ada/src/till", 6))
    again = ("/srv/ci/till", *files("/srv/ci/till", 5))
    assert list(together(root, again)) == ["~/src/till"]
    assert len(together(root, ("/srv/ci/till", *files("/srv/ci/till", 4)))) == 2
    assert len(together(root, ("/srv/ci/desk", *files("/srv/ci/desk", 6)))) == 2


def test_what_was_edited_in_a_worktree_has_its_place_in_the_repository(session):
    logs = session(
        ("run", "git worktree add ../hotfix", "Preparing worktree (new branch 'hotfix')"),
        ("edit", "/home/ada/hotfix/api/tax.py", "a", "b"),
        ("edit", "/home/ada/elsewhere/api/tax.py", "a", "b"),
    ).with_columns(cwd=pl.lit("/home/ada/shop-api"))
    assert file_edits(logs)["path"].to_list() == ["api/tax.py"]


def test_nothing_is_joined_across_namespaces(seen):
    asked = ("git remote -v", shown(SSH))
    one = seen(("/home/ada/src/shop", asked))
    other = seen(("/home/ada/work/shop", asked)).with_columns(namespace=pl.lit("other"))
    made = projects(pl.concat([one, other]))
    assert made.select("namespace", "project").rows() == [
        ("default", "~/src/shop"), ("other", "~/work/shop")
    ]  # fmt: skip


def test_the_log_itself_may_tell_the_remote(session, seen):
    head = session(("system", ""), project="~/.codex/worktrees/1f2e/till").with_columns(
        kind=pl.lit("note"), cwd=pl.lit("/home/ada/.codex/worktrees/1f2e/till"),
        tool_input=pl.lit(json.dumps({"repository_url": SSH})),
    )  # fmt: skip
    asked = seen(("/home/ada/src/till", ("git remote -v", shown(WEB))))
    made = projects(pl.concat([checkouts(head), asked]))
    assert dict(made.select("folder", "remote").iter_rows()) == {
        "~/.codex/worktrees/1f2e/till": "code.example/ada/shop",
        "~/src/till": "code.example/ada/shop",
    }
    assert set(made["project"]) == {"~/src/till"}


def test_what_a_project_was_called_counts_unless_another_is_called_so(seen):
    added = ("git worktree add ../hotfix", "Preparing worktree (new branch 'hotfix')")
    shop = ("/home/ada/src/shop", added), ("/home/ada/src/hotfix",)
    assert names_of("shop", projects(seen(*shop))) == {"shop", "hotfix"}
    assert names_of("shop", projects(seen(*shop, ("/srv/hotfix",)))) == {"shop"}


FOLDERS = ("/a/shop", "/b/shop", "/c/till", "/d/shop-2", "/a/hotfix")
EVIDENCE = st.tuples(
    st.sampled_from(FOLDERS), st.sampled_from(["project", "remote", "worktree", "top", "file"]),
    st.sampled_from(["x.example/a/shop", "x.example/b/shop"]), st.sampled_from(FOLDERS),
    st.integers(0, 5),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(EVIDENCE, max_size=14), st.randoms(use_true_random=False))
def test_any_order_of_rows_gives_the_same_projects(told, random):
    frame = CHECKOUTS.frame(
        {
            "namespace": "n", "day": "2026-03-02", "conversation_id": f"c{at}", "folder": folder,
            "evidence": evidence,
            "value": {"remote": remote, "worktree": main, "file": f"a/{at}.go"}.get(evidence, ""),
            "record_id": f"r{at}", "occurred_at": BEGIN + timedelta(days=number),
            "extractor": "checkouts@1",
        }
        for at, (folder, evidence, remote, main, number) in enumerate(told)
        if not (evidence == "worktree" and folder == main)
    )  # fmt: skip
    order = list(range(frame.height))
    random.shuffle(order)
    made = projects(frame)
    assert projects(frame[order]).equals(made)
    assert set(made["project"]) <= set(made["folder"])
    remotes = frame.filter(evidence="remote").group_by("folder").agg(pl.col("value").n_unique())
    of_one = remotes.filter(pl.col("value") == 1).join(
        frame.filter(evidence="remote"), on="folder", suffix="_of"
    )
    placed = of_one.join(made.select("folder", "project"), on="folder", suffix="_now")
    several = placed.group_by("project").agg(pl.col("value_of").n_unique())
    assert several.filter(pl.col("value_of") > 1).is_empty(), "never two remotes"


def test_one_file_is_one_entity_and_one_project_one_name(session, embedder):
    added = ("git worktree add ../hotfix", "Preparing worktree (new branch 'hotfix')")
    told = [
        (
            "/home/ada/src/shop",
            ("run", *added),
            ("edit", "/home/ada/src/shop/api/tax.py", "a", "b"),
        ),
        ("/home/ada/src/hotfix", ("edit", "/home/ada/src/hotfix/api/tax.py", "a", "b")),
        ("/home/ada/src/shop", ("edit", "/home/ada/src/shop/.worktrees/1/api/tax.py", "a", "b")),
        ("/home/ada/src/shop", ("edit", "api/tax.py", "a", "b")),
        ("/home/ada/src/till", ("edit", "/home/ada/src/till/api/tax.py", "a", "b")),
    ]
    logs = pl.concat(
        session(
            ("human", "Please round the tax."), *events, ("run", "make test", "7 passed"),
            conversation=f"c{at}", project=folder.replace("/home/ada", "~"),
            begin=BEGIN + timedelta(days=at),
        ).with_columns(cwd=pl.lit(folder), trigger=pl.lit("user_message"))
        for at, (folder, *events) in enumerate(told)
    )  # fmt: skip
    made = build_from_logs(logs, StageContext(Policy(), embedder))
    known = made["memory_entities"].filter(pl.col("canonical_id") == pl.col("entity_id"))
    called = known.filter(pl.col("type").is_in(["path", "project"]))["name"]
    assert sorted(called) == ["shop", "till", "~/src/shop/api/tax.py", "~/src/till/api/tax.py"]
    assert set(made["practices"]["project"]) == {"~/src/shop", "~/src/till"}
    assert set(made["briefs"]["project"]) == {"shop", "till"}
    reasons = set(made["entity_merges"]["reason"])
    assert reasons == {
        "the same file in another checkout of its repository", "checkouts of one repository"
    }  # fmt: skip


def test_repositories_of_one_name_have_briefs_of_their_own(session, embedder):
    logs = pl.concat(
        session(
            ("human", f"Please run what {owner} runs."),
            ("run", "git remote -v", shown(f"https://code.example/{owner}/api")),
            ("run", command, "7 passed in 1s"),
            conversation=owner, project=f"~/{owner}/api",
        ).with_columns(cwd=pl.lit(f"/home/ada/{owner}/api"))
        for owner, command in (("ada", "make test"), ("corp", "just test"))
    )  # fmt: skip
    made = build_from_logs(logs, StageContext(Policy(), embedder))["briefs"]
    told = made.filter(kind="practice").select("project", "text").rows()
    assert told == [("ada/api", "test: `make test`"), ("corp/api", "test: `just test`")]


def test_rows_are_read_as_of_the_project_that_stands_for_theirs(seen):
    made = projects(seen(("/home/ada/src/shop", ("git worktree list", LISTED))))
    rows = pl.DataFrame({"namespace": "default", "project": ["~/src/hotfix", "/x", None]})
    assert in_projects(rows, made)["project"].to_list() == ["~/src/shop", "/x", None]
    assert json.dumps(made["evidence"].to_list()) == '["worktree", "worktree", "itself"]'
