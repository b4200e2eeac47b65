"""The error tree.

LabError                    a mistake or a limit that the user can act on; never a stack trace
├── ConfigError             a configuration that cannot be used
├── DataError               a file or record that cannot be used
├── SplitError              a split that would not keep its promise
│   ├── SealBroken          the bytes on disk are not the bytes that were sealed
│   ├── LeakFound           the same or nearly the same text on two sides
│   └── HoldoutSpent        the holdout was opened for this question before
├── ModelError              an endpoint that cannot be used
│   ├── MissingKey          the environment variable with the key is not set
│   ├── EndpointUnreachable nothing answers at the address
│   ├── ParameterRejected   the model refuses a parameter, by name
│   └── CallFailed          one call failed for good, after its retries
│       └── TemporaryFailure    one attempt failed in a way that another may not
├── BudgetExhausted         the next call would pass a cap; nothing was sent
├── MetricUndefined         the number does not exist for this input
├── LedgerError             the record of what happened cannot be written or trusted
├── TrackingError           the MLflow store cannot be written or read; the ledger is whole without it
└── CampaignError           a campaign that cannot start, resume or finish
"""

from __future__ import annotations


class LabError(Exception):
    """An error in three parts: what was tried, what was found, what to do."""

    def __init__(self, tried: str, found: str, todo: str) -> None:
        super().__init__(tried, found, todo)
        self.tried = tried
        self.found = found
        self.todo = todo

    def __str__(self) -> str:
        return f"{self.tried}: {self.found}. {self.todo}"


class ConfigError(LabError):
    """A configuration that cannot be used."""


class DataError(LabError):
    """A file or record that cannot be used."""


class SplitError(LabError):
    """A split that would not keep its promise."""


class SealBroken(SplitError):
    """The bytes on disk are not the bytes that were sealed."""


class LeakFound(SplitError):
    """The same or nearly the same text stands on two sides of a split."""


class HoldoutSpent(SplitError):
    """The holdout was opened for this question before."""


class ModelError(LabError):
    """An endpoint that cannot be used."""


class MissingKey(ModelError):
    """The environment variable that should hold the key is not set."""


class EndpointUnreachable(ModelError):
    """Nothing answers at the endpoint's address."""


class ParameterRejected(ModelError):
    """The model refuses a request parameter, by name."""


class CallFailed(ModelError):
    """One call failed for good, after its retries."""


class TemporaryFailure(CallFailed):
    """One attempt failed in a way that another attempt may not.

    ``status`` is the HTTP status, None where no whole reply came back; ``retry_after`` the
    seconds that the endpoint asks to wait; ``sent`` is False where no byte of the request went out.
    """

    status: int | None = None
    retry_after: float | None = None
    sent: bool = True


class BudgetExhausted(LabError):
    """The next call would pass a cap; nothing was sent."""


class MetricUndefined(LabError):
    """The number does not exist for this input."""


class LedgerError(LabError):
    """The record of what happened cannot be written or trusted."""


class TrackingError(LabError):
    """The MLflow store cannot be written or read; the ledger is whole without it."""


class CampaignError(LabError):
    """A campaign that cannot start, resume or finish."""
