import json
from pathlib import Path

from optimiser import confirmation

SCHEMA = Path(confirmation.__file__).parent / "schemas" / "confirmation-1.json"


def test_the_committed_schema_equals_the_model():
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == confirmation.schema(), "write schema() to the file again"
