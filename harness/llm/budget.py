"""Caps on calls, tokens and dollars that hold for any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from harness.config import ModelConfig
from harness.errors import BudgetExhausted, ConfigError, ModelError
from harness.llm.client import Client, Reply, Request
from harness.llm.record import failure_charge, was_sent
from harness.llm.store import Spent
from harness.llm.wire import Charge, reply_charge, reserved_charge, wire_body


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that may be spent; None = no cap. Attempts sent, prompt + completion tokens, US dollars."""

    calls: int | None = None
    tokens: int | None = None
    dollars: float | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """A part of the budget that is set aside for one attempt."""

    number: int
    charge: Charge


class Budget:
    """What was spent and what is set aside; their sum never passes a cap.

    ``spent`` is what earlier processes of the same campaign bought.
    """

    def __init__(self, caps: Caps, spent: Spent | None = None) -> None:
        self.caps = caps
        start = Spent() if spent is None else spent
        self._calls, self._tokens = start.calls, start.tokens
        self._dollars = start.dollars or 0.0
        self._priced = start.dollars is not None
        self._open: dict[int, Reservation] = {}
        self._numbers = 0
        self._changed = threading.Condition()

    @property
    def spent(self) -> Spent:
        """What is spent for good, reservations left out."""
        with self._changed:
            return self._spent()

    def reserve(self, tokens: int, dollars: float | None, wait: bool = False) -> Reservation:
        """Set aside one call with at most these tokens and dollars.

        Raises BudgetExhausted, and then nothing changed. With ``wait``, a call that would fit
        but for the reservations of other threads waits until they are settled, so that
        cautious reservations do not end a campaign early.
        """
        charge = Charge(tokens, dollars)
        with self._changed:
            while wait and self._passed(charge, self._open) and not self._passed(charge, {}):
                self._changed.wait()
            passed = self._passed(charge, self._open)
            if passed:
                raise BudgetExhausted(f"reserving {_need(charge)}", passed, "Raise the cap in `budget`, then resume.")
            self._numbers += 1
            reservation = Reservation(self._numbers, charge)
            self._open[self._numbers] = reservation
            return reservation

    def settle(self, reservation: Reservation, charge: Charge) -> None:
        """Replace a reservation by one call that really cost ``charge``."""
        with self._changed:
            del self._open[reservation.number]
            self._calls += 1
            self._tokens += charge.tokens
            self._dollars += charge.dollars or 0.0
            self._priced |= charge.dollars is not None
            self._changed.notify_all()

    def release(self, reservation: Reservation) -> None:
        """Give a reservation back: nothing was sent."""
        with self._changed:
            del self._open[reservation.number]
            self._changed.notify_all()

    def _spent(self) -> Spent:
        return Spent(self._calls, self._tokens, self._dollars if self._priced else None)

    def _passed(self, charge: Charge, held: Mapping[int, Reservation]) -> str | None:
        """Which cap one more call would pass, in words; None where it fits."""
        if self.caps.dollars is not None and charge.dollars is None:
            raise ConfigError("reserving dollars for a call", "no price is known", "Give the model `prices`.")
        charges = [reservation.charge for reservation in held.values()]
        rows: list[tuple[str, float | None, float, float, float]] = [
            ("calls", self.caps.calls, self._calls, len(charges), 1),
            ("tokens", self.caps.tokens, self._tokens, sum(c.tokens for c in charges), charge.tokens),
            (
                "dollars",
                self.caps.dollars,
                self._dollars,
                sum(c.dollars or 0.0 for c in charges),
                charge.dollars or 0.0,
            ),
        ]
        for name, cap, spent, aside, need in rows:
            if cap is not None and spent + aside + need > cap:
                return (
                    f"the cap of {cap:g} {name} would be passed: {spent:g} spent, {aside:g} set aside, {need:g} needed"
                )
        return None


class BudgetedClient:
    """Sends nothing that the budget does not cover."""

    def __init__(self, inner: Client, budget: Budget, config: ModelConfig) -> None:
        self._inner = inner
        self._budget = budget
        self._config = config

    @property
    def spent(self) -> Spent:
        """What the shared budget has spent."""
        return self._budget.spent

    def send(self, request: Request) -> Reply:
        """Return the inner client's reply; raises BudgetExhausted before anything is sent."""
        reserved = reserved_charge(self._config, wire_body(self._config, request))
        reservation = self._budget.reserve(reserved.tokens, reserved.dollars, wait=True)
        try:
            reply = self._inner.send(request)
        except ModelError as failure:
            if was_sent(failure):
                self._budget.settle(reservation, failure_charge(failure, reserved))
            else:
                self._budget.release(reservation)
            raise
        except BaseException:
            # Interrupted in flight: it may have been answered, so it counts in full.
            self._budget.settle(reservation, reserved)
            raise
        self._budget.settle(reservation, reply_charge(self._config, reply))
        return reply


def check_caps(caps: Caps, config: ModelConfig) -> None:
    """Raise ConfigError where a cap could not be kept for this model.

    A cap in dollars needs prices; caps in tokens and dollars need a token cap on the wire,
    without which nobody knows what one call may cost.
    """
    where = f"building the client of {config.model!r}"
    if caps.dollars is not None and config.prices is None:
        found = "a cap in dollars, and no prices"
        raise ConfigError(where, found, "Give the model `prices`, or cap calls and tokens instead.")
    unbounded = config.max_tokens is None or config.token_parameter in config.drop
    if unbounded and (caps.tokens is not None or caps.dollars is not None):
        found = "a cap in tokens or dollars, and completions without one"
        raise ConfigError(where, found, "Set `max_tokens` (and the right `token_parameter`), or cap calls only.")


def _need(charge: Charge) -> str:
    dollars = "" if charge.dollars is None else f" and {charge.dollars:.6g} dollars"
    return f"one call of at most {charge.tokens} tokens{dollars}"
