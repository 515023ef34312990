"""What the unlabeled data can do where the guarantee is about the penalised loss."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.solver._certificate import Certificate


@dataclass(frozen=True)
class PenalisedCertificate(Certificate):
    """A certificate with a guarantee on the squared loss plus alpha times the squared norm.

    All other numbers are about the squared loss itself, as for every other method.

    Attributes
    ----------
    penalised_improvement : float
        The penalised loss on all rows, divided by their number, falls by at least this much,
        whatever the labels are. Without a penalty it is `guaranteed_improvement`; always given.
    """

    penalised_improvement: float = 0.0

    def _second_sentence(self) -> str:
        if self.guaranteed_improvement is not None or self.worst_change == self.best_change == 0.0:
            return super()._second_sentence()
        return (
            "Whatever the unknown labels are, the squared loss on these rows plus the penalty "
            f"falls by at least {self.penalised_improvement:.4g} a row; the squared loss alone "
            f"changes by {self.best_change:+.4g} at best and {self.worst_change:+.4g} at worst."
        )
