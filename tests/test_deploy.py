"""Files of docs/deploy: what they start is there, and orchestrators take them as they are."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.places import ROOT
from tests.test_docs import unknown

DEPLOY = ROOT / "docs" / "deploy"
MANIFESTS = sorted([*DEPLOY.glob("kubernetes/*.yaml"), *DEPLOY.glob("kubernetes/*.example")])
KUBERNETES = "1.33"

Thing = dict[str, Any]


def things() -> Iterator[Thing]:
    """What the manifests declare."""
    for path in MANIFESTS:
        yield from yaml.safe_load_all(path.read_text())


def pods() -> Iterator[Thing]:
    for thing in things():
        if "template" in thing.get("spec", {}):
            yield thing


def composed() -> Thing:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def called() -> Iterator[list[str]]:
    """Arguments with which `cairn` is called."""
    scripts: list[str] = []
    for service in composed()["services"].values():
        if service["image"] == "cairn":
            scripts += service["command"]
    for pod in pods():
        spec = pod["spec"]["template"]["spec"]
        scripts += [line for one in spec["initContainers"] for line in one["args"]]
        yield from (one["args"] for one in spec["containers"])
    for script in scripts:
        for line in script.splitlines():
            words = shlex.split(line, comments=True)
            if "cairn" in words[:2]:
                start = words.index("cairn") + 1
                yield words[start : words.index(">") if ">" in words else None]


def test_manifests_are_those_of_kubernetes() -> None:
    """Its schemas are 100 MB: `.venv/bin/uv pip install kubernetes-validate` to have it checked."""
    kubernetes = pytest.importorskip("kubernetes_validate")
    for thing in things():
        kubernetes.validate(thing, KUBERNETES, strict=True)


def test_pods_may_do_little_and_say_what_they_take() -> None:
    assert len(list(pods())) == 2
    for pod in pods():
        spec = pod["spec"]["template"]["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert not spec["enableServiceLinks"], "Services would stand beside settings: CAIRN_PORT"
        claims = [one["metadata"] for one in pod["spec"].get("volumeClaimTemplates", ())]
        there = {one["name"] for one in [*spec["volumes"], *claims]}
        for container in [*spec["initContainers"], *spec["containers"]]:
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert {"memory"} <= {*container["resources"]["limits"]}
            assert {one["name"] for one in container["volumeMounts"]} <= there
            assert container["workingDir"] == "/etc/cairn", "where cairn.toml is"


def test_services_and_budgets_are_of_pods_that_there_are() -> None:
    labels = [pod["spec"]["template"]["metadata"]["labels"] for pod in pods()]
    for thing in things():
        if thing["kind"] in {"Service", "PodDisruptionBudget"}:
            wanted = thing["spec"]["selector"]
            wanted = wanted.get("matchLabels", wanted)
            assert any(wanted.items() <= each.items() for each in labels), thing["metadata"]


def test_commands_exist() -> None:
    found = list(called())
    assert {words[0] for words in found} == {"up", "serve", "sources", "config"}
    assert {" ".join(words): unknown(words) for words in found if unknown(words)} == {}


def test_compose_names_what_it_declares() -> None:
    file = composed()
    for name, service in file["services"].items():
        mounted = [one.partition(":")[0] for one in service.get("volumes", ())]
        named = {one for one in mounted if one[0] not in "./$"}
        assert named <= {*file["volumes"]}, name
        assert {*service.get("secrets", ())} <= {*file["secrets"]}, name
    (scrape,) = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text())["scrape_configs"]
    targets = {one.partition(":")[0] for one in scrape["static_configs"][0]["targets"]}
    assert targets == {name for name, one in file["services"].items() if one["image"] == "cairn"}


def test_the_image_has_all_that_the_wheel_is_made_of() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    copied = [words.split() for words in re.findall(r"^COPY (?!--)(.*)$", text, re.MULTILINE)]
    from_checkout = {source for *sources, _ in copied for source in sources}
    assert all((ROOT / each).exists() for each in from_checkout)
    needed = {
        str(link.resolve().relative_to(ROOT))
        for link in (ROOT / "cairn").iterdir()
        if link.is_symlink()
    }
    assert needed | {"cairn", "pyproject.toml", "requirements.lock"} <= from_checkout
