"""`python -m benchmarks.verdicts`: how often verdicts are right where the truth is known.

It compares on 600 problems, which takes more than an hour on two idle cores, nearly all of it for
tacit, and goes on from the outcomes that are kept: `--problems 10` is for a look.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from tacit._files import written_whole
from tacit._typing import AnyArray, Matrix
from tacit.selection import Kind, compare, default_contestants
from tacit.selection._evaluate import Fit, Split, evaluate, predictions
from tacit.selection._labeled_table import LabeledTable, default_preprocessing, labeled_table

KEPT = Path("docs/verdicts/outcomes.csv")
N_UNLABELED = 500
N_TEST = 4_000
# "Helps", and "may hurt", may be said wrongly this often in each kind of problem.
ALLOWED = 0.05
# True gains above this are to be found in most cases.
WORTH_FINDING = 0.05


@dataclass(frozen=True)
class Family:
    """A kind of problem, of which as many can be drawn as are wanted.

    Attributes
    ----------
    name : str
        What is known about it.
    can_help : bool
        Whether unlabeled rows can help there.
    sizes : tuple of (int, int)
        Numbers of labels and features, used in turn.
    draw : callable
        Rows and labels from a generator, a number of rows and a number of features.
    """

    name: str
    can_help: bool
    sizes: tuple[tuple[int, int], ...]
    draw: Callable[[np.random.Generator, int, int], tuple[Matrix, AnyArray]]


@dataclass(frozen=True)
class Outcome:
    """What was said about one problem, and what is true: a row of the file of outcomes.

    A gain is the true error of one classifier minus that of another, from many new rows.
    """

    problems: str
    number: int
    said: str  # the kind of the verdict
    method: str  # whose gain decided it
    gain: float  # of that method over the one that the verdict compares it with
    best_gain: float  # the largest of a method over the best supervised classifier
    tacit: float  # of these methods over their twins
    icls: float
    self_learning: float

    @property
    def is_false_promise(self) -> bool:
        """Whether "helps" was said of a method that is in truth no better than its twin."""
        return self.said == Kind.HELPS.value and self.gain <= 0.0

    @property
    def is_false_alarm(self) -> bool:
        """Whether "may hurt" was said of a method that is in truth no worse."""
        return self.said == Kind.MAY_HURT.value and self.gain >= 0.0

    @property
    def is_worth_finding(self) -> bool:
        """Whether some method gains more than five points."""
        return self.best_gain > WORTH_FINDING


def hidden(random: np.random.Generator, n: int, d: int) -> tuple[Matrix, AnyArray]:
    """Two well separated classes in one direction of many, most of which are full of noise.

    The unlabeled rows show which directions are noisy, and where the gap is; with hardly more
    labels than features, the labeled ones do not.
    """
    y = random.integers(0, 2, n)
    directions, _ = np.linalg.qr(random.standard_normal((d, d)))
    noisy = directions[:, : d - 5]
    X = random.standard_normal((n, d)) + 6.0 * random.standard_normal((n, d - 5)) @ noisy.T
    return X + 3.0 * np.outer(2 * y - 1, directions[:, -1]), y


def clusters(random: np.random.Generator, n: int, d: int) -> tuple[Matrix, AnyArray]:
    """Each class is five of ten clusters, which all rows show and few labels do not."""
    centres = random.standard_normal((10, d))
    centres *= 4.5 / np.linalg.norm(centres, axis=1, keepdims=True)
    cluster = random.integers(0, 10, n)
    return random.standard_normal((n, d)) + centres[cluster], cluster % 2


def featureless(random: np.random.Generator, n: int, d: int) -> tuple[Matrix, AnyArray]:
    """One round cloud: the rows alone say nothing about where the border is."""
    X = random.standard_normal((n, d))
    weights = np.zeros(d)
    weights[:3] = 2.0
    return X, _drawn(random, X @ weights)


def pure_noise(random: np.random.Generator, n: int, d: int) -> tuple[Matrix, AnyArray]:
    """Clusters, and labels that have nothing to do with any feature: every error is one half."""
    X, _ = _two_clusters(random, n, d)
    return X, random.integers(0, 2, n)


def against(random: np.random.Generator, n: int, d: int) -> tuple[Matrix, AnyArray]:
    """Clusters along one direction, classes along another: the gap misleads."""
    X, _ = _two_clusters(random, n, d)
    return X, _drawn(random, 2.0 * X[:, 0])


def _two_clusters(random: np.random.Generator, n: int, d: int) -> tuple[Matrix, AnyArray]:
    cluster = random.integers(0, 2, n)
    direction = np.concatenate([[0.0], np.ones(d - 1) / np.sqrt(d - 1)])
    return random.standard_normal((n, d)) + 3.0 * np.outer(2 * cluster - 1, direction), cluster


def _drawn(random: np.random.Generator, log_odds: AnyArray) -> AnyArray:
    return (random.uniform(size=len(log_odds)) < 1.0 / (1.0 + np.exp(-log_odds))).astype(np.intp)


# Among them one with nearly as many features as labels, where fits vary most.
NULL_SIZES = ((30, 5), (60, 10), (60, 40), (120, 20))
FAMILIES = (
    Family("helps: noise hides the classes, 60 labels", True, ((60, 48),), hidden),
    Family("helps: noise hides the classes, 100 labels", True, ((100, 80),), hidden),
    Family("helps: classes are clusters, 60 labels", True, ((60, 60),), clusters),
    Family("cannot help: one cloud", False, NULL_SIZES, featureless),
    Family("cannot help: labels are noise", False, NULL_SIZES, pure_noise),
    Family("would hurt: clusters against classes", False, NULL_SIZES, against),
)


def outcome_of(family: Family, number: int, n_repeats: int) -> Outcome:
    """Draw one problem, compare on it, and look up the truth."""
    n_labels, d = family.sizes[number % len(family.sizes)]
    random = np.random.default_rng([number, n_labels, d])
    n = n_labels + N_UNLABELED
    X, y = family.draw(random, n + N_TEST, d)
    given = y[:n].copy()
    given[n_labels:] = -1
    found = compare(X[:n], given, n_repeats=n_repeats, random_state=number)
    errors = true_errors(X, y, n_labels, n)
    supervised = min(error for name, error in errors.items() if name not in found.methods)

    def gain(name: str) -> float:
        return errors[found.methods[name].against_twin.reference] - errors[name]

    decided = found.methods[str(found.verdict.method)]
    return Outcome(
        problems=family.name,
        number=number,
        said=found.verdict.kind.value,
        method=decided.name,
        gain=errors[decided.decisive.reference] - errors[decided.name],
        best_gain=supervised - min(errors[name] for name in found.methods),
        tacit=gain("tacit"),
        icls=gain("ICLS"),
        self_learning=gain("self-learning"),
    )


def true_errors(X: Matrix, y: AnyArray, n_labels: int, n: int) -> dict[str, float]:
    """Errors on the rows from `n` on of the default contestants fitted on the rows before."""
    known = y.copy()
    known[n_labels:] = -1
    table = labeled_table(X, known)
    new = np.arange(n, len(y))
    split = Split(table.labeled, np.arange(n_labels, n), new)
    contestants = tuple(default_contestants(default_preprocessing(X[:n])).values())

    def error(fit: Fit, table: LabeledTable, split: Split) -> float:
        return float(np.mean(predictions(fit, table.codes) != y[split.test]))

    outcomes = evaluate(table, (error, split), contestants, "truth")
    return {name: outcome.value for name, outcome in outcomes.items()}


HEADER = (
    "| problems | gain of tacit | of ICLS | of self-learning | helps | makes no difference | "
    "may hurt | too few labels to tell | helps, wrongly | may hurt, wrongly | gains above five "
    "points | of these found |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def line(family: Family, outcomes: Sequence[Outcome]) -> str:
    """One line of the table."""
    counts = Counter(outcome.said for outcome in outcomes)
    kinds = Kind.HELPS, Kind.NO_DIFFERENCE, Kind.MAY_HURT, Kind.TOO_FEW
    gains = ([o.tacit for o in outcomes], [o.icls for o in outcomes])
    worth = [outcome for outcome in outcomes if outcome.is_worth_finding]
    cells = (
        family.name,
        *(
            f"{100.0 * float(np.mean(values)):+.1f} points"
            for values in (*gains, [o.self_learning for o in outcomes])
        ),
        *(counts[kind.value] for kind in kinds),
        *said_wrongly(family, outcomes),
        len(worth),
        sum(outcome.said == Kind.HELPS.value for outcome in worth),
    )
    return f"| {' | '.join(map(str, cells))} |"


def said_wrongly(family: Family, outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How often "helps" and "may hurt" were said where it is not so."""
    promises = (o.is_false_promise if family.can_help else o.said == "helps" for o in outcomes)
    return sum(promises), sum(outcome.is_false_alarm for outcome in outcomes)


def kept_outcomes(path: Path) -> dict[tuple[str, int], Outcome]:
    """Those of earlier runs."""
    if not path.exists():
        return {}
    rows = pd.read_csv(path).to_dict("records")
    found = [Outcome(**{str(name): value for name, value in row.items()}) for row in rows]
    return {(outcome.problems, outcome.number): outcome for outcome in found}


def main(arguments: list[str] | None = None) -> int:
    """Go on from the outcomes that are kept and print the table; 0 where the promise holds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=__doc__)
    parser.add_argument("--problems", type=int, default=100, help="of each kind")
    parser.add_argument(
        "--repeats", type=int, default=2, help="shuffles of the labels; more would take longer"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--kept", type=Path, default=KEPT, help="the file of outcomes")
    given: Any = parser.parse_args(arguments)
    found = kept_outcomes(given.kept)
    # Of every kind a few at a time, so that a run that is stopped tells of all of them.
    missing = [
        (family, number)
        for number in range(given.problems)
        for family in FAMILIES
        if (family.name, number) not in found
    ]
    tasks = (delayed(outcome_of)(*task, given.repeats) for task in missing)
    for outcome in Parallel(given.jobs, return_as="generator_unordered")(tasks):
        found[outcome.problems, outcome.number] = outcome
        rows = [asdict(found[key]) for key in sorted(found)]
        with written_whole(given.kept) as path:
            pd.DataFrame(rows).to_csv(path, index=False, float_format="%.5f")
    print(f"{given.problems} problems of each kind, {N_UNLABELED} unlabeled rows.\n\n{HEADER}")
    holds = True
    for family in FAMILIES:
        outcomes = [found[family.name, number] for number in range(given.problems)]
        wrong = said_wrongly(family, outcomes)
        holds &= max(wrong) <= ALLOWED * len(outcomes)
        print(line(family, outcomes), flush=True)
    print(
        f'\n"Helps", and "may hurt", are said wrongly in at most {ALLOWED:.0%} of the problems of '
        f"each kind: {'the promise holds' if holds else 'the promise does not hold'}."
    )
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
