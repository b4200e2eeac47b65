import json

import pytest

from harness.judges.contracts import BINARY, MAX_ITEMS, SCORE
from harness.judges.dimensions import DIMENSIONS
from harness.judges.faithfulness import ISSUE
from support.answering import fill

ALL = [SCORE, BINARY, ISSUE, DIMENSIONS]
CONTRACTS = pytest.mark.parametrize("contract", ALL, ids=lambda contract: contract.form.name)


@CONTRACTS
def test_words_and_schema_name_the_same_keys(contract):
    assert list(contract.form.schema["properties"]) == contract.form.schema["required"]
    for key in contract.form.schema["required"]:
        assert f'"{key}"' in contract.form.text


@CONTRACTS
def test_the_words_ask_for_json_by_name(contract):
    # an endpoint in json_object mode refuses a prompt that does not
    assert "JSON" in contract.form.text


@CONTRACTS
def test_every_array_and_free_string_of_the_schema_is_bounded(contract):
    for value in contract.form.schema["properties"].values():
        if value["type"] == "array":
            assert value["maxItems"] == MAX_ITEMS
            assert value["items"]["maxLength"] > 0
        else:
            assert value["type"] == "integer" or "enum" in value


@CONTRACTS
def test_the_schema_allows_no_other_key(contract):
    assert contract.form.schema["additionalProperties"] is False


@CONTRACTS
def test_an_answer_longer_than_asked_for_is_still_read(contract):
    many = [f"fact {number}" for number in range(3 * MAX_ITEMS)]
    answer = {**fill(contract.form.schema), "omissions": many}
    assert contract.form.read(json.dumps(answer)).missing == tuple(many)


@CONTRACTS
def test_the_pass_mark_lies_within_the_range(contract):
    assert contract.scale.low < contract.scale.pass_mark <= contract.scale.high
