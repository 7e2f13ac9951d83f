"""The test that docs/pytest.md shows fails as it shows, and passes for the mended agent."""

from __future__ import annotations

import re

import pytest
from support import REPOSITORY

pytest.importorskip("langchain.agents.middleware")
PAGE = (REPOSITORY / "docs/pytest.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    found = re.search(rf"^<!-- {name} -->\n```\w+\n(.*?)^```$", PAGE, re.M | re.S)
    assert found, f"the page has no block behind <!-- {name} -->"
    return found[1]


@pytest.mark.parametrize("is_mended", [False, True])
def test_the_test_of_the_page(is_mended: bool, pytester: pytest.Pytester) -> None:
    agent = (REPOSITORY / "examples/defective/agent.py").read_text(encoding="utf-8")
    if is_mended:
        (search,) = re.findall(r"`(next\(.+?, None\))`", PAGE)
        agent, times = re.subn(r"next\(.+enumerate\(messages\).+, None\)", lambda _: search, agent)
        assert times == 1
    pytester.makepyfile(agent=agent, test_agent=block("a test for a middleware"))
    done = pytester.runpytest_subprocess("-p", "ctxlint.pytest_plugin")
    if is_mended:
        done.assert_outcomes(passed=1)
        return
    done.assert_outcomes(failed=1)
    printed = re.sub(r"\d{4}-\d\d-\d\d", "2026-11-30", done.stdout.str())
    assert block("what pytest prints") in printed
