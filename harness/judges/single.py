"""The single-call judges: one prompt, one reply, one verdict."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.judges.asking import Asker, judging_terms
from harness.judges.base import Kind, Sample, Sampler
from harness.judges.contracts import Contract
from harness.judges.envelope import envelope_digest, wrap
from harness.judges.parse import Verdict
from harness.llm.client import Client
from harness.types import Candidate, Consultation, Note, digest

BLOCK = "instruction"


@dataclass(frozen=True, slots=True)
class SingleCall:
    """Asks once with the candidate's instruction between the data and the contract.

    ``stage`` names the call where it is one of several.
    """

    config: JudgeConfig
    contract: Contract
    candidate: Candidate
    client: Client
    stage: str = ""

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One call, score in [scale.low, scale.high]."""
        form = self.contract.form
        messages = wrap(consultation.transcript, note.text, self.candidate.block(BLOCK), form.text)
        return Asker(judging_terms(self.config, self.stage), form, self.client).ask(messages, replicate, index)


def single_kind(contract: Contract) -> Kind:
    """The family member that asks once under this contract."""

    def make(config: JudgeConfig, candidate: Candidate, client: Client) -> Sampler:
        return SingleCall(config, contract, candidate, client)

    def fixed(config: JudgeConfig) -> str:
        return digest([envelope_digest(contract.form.text), contract.form.schema if config.structured else None])

    return Kind(blocks=(BLOCK,), scale=contract.scale, fixed=fixed, make=make)
