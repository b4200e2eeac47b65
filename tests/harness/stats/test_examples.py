import doctest
from types import ModuleType

import pytest

from harness import metrics
from harness.stats import holm, intervals


@pytest.mark.parametrize("module", [metrics, holm, intervals], ids=lambda module: module.__name__)
def test_the_examples_in_docstrings_hold(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
