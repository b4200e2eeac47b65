"""The single-call judges: one prompt, one reply, one verdict (kinds "score" and "binary")."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.judges.asking import Asker, Sample
from harness.judges.contracts import Contract
from harness.judges.envelope import wrap
from harness.judges.parse import Unreadable
from harness.llm.client import Client
from harness.types import Candidate, Consultation, Failure, Judgement, Note, Outcome

BLOCK = "instruction"


@dataclass(frozen=True, slots=True)
class SingleJudge:
    """Asks once with the candidate's instruction between the data and the contract."""

    config: JudgeConfig
    contract: Contract
    candidate: Candidate
    client: Client

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        """One sample as the outcome, score in [contract.low, contract.high], higher = better note."""
        sample = self.sample(consultation, note, replicate, 0)
        candidate_id = self.candidate.id
        reading = sample.reading
        if isinstance(reading, Unreadable):
            reason = reading.reason
            return Failure(note.id, candidate_id, replicate, reason, sample.text, sample.usage, sample.simulated)
        return Judgement(
            note_id=note.id,
            candidate_id=candidate_id,
            replicate=replicate,
            score=reading.score,
            flagged=flagged((reading.score,), reading.score, self.contract, self.config),
            missing=reading.missing,
            wrong=reading.wrong,
            samples=(reading.score,),
            text=sample.text,
            usage=sample.usage,
            simulated=sample.simulated,
        )

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample:
        """Sample number ``index`` of a judgement."""
        messages = wrap(consultation.transcript, note.text, self.candidate.block(BLOCK), self.contract.text)
        return Asker(self.config, self.contract, self.client).ask(messages, replicate, index)


def flagged(samples: tuple[float, ...], score: float, contract: Contract, config: JudgeConfig) -> bool:
    """The judge's own rule. The mark is ``config.flag_below``, else the contract's.

    By vote (aggregation "majority", or a voting contract without a mark of the user's): at least
    half of the samples below the mark. Otherwise: the aggregated score below the mark, strictly.
    """
    mark = contract.pass_mark if config.flag_below is None else config.flag_below
    if config.aggregation == "majority" or (contract.votes and config.flag_below is None):
        return 2 * sum(sample < mark for sample in samples) >= len(samples)
    return score < mark
