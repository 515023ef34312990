"""The experiments behind the tables and figures of the paper."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.linear_model import LogisticRegressionCV

from tacit.estimators import (
    ICLSClassifier,
    LeastSquaresClassifier,
    ProjectedLeastSquaresClassifier,
)
from tacit.research.experiments import (
    Contestant,
    CrossValidation,
    Experiment,
    LearningCurves,
    Sees,
    paper_contestants,
)
from tacit.research.experiments._contestants import SUPERVISED
from tacit.selection._labeled_table import LabeledTable

RIDGE = "supervised, ridge"
RIDGE_ICLS = "ICLS, ridge"
RIDGE_PROJECTED = "projected, ridge"
LOGISTIC = "logistic regression, tuned"
# A decade apart. scikit-learn's own go up to 1e4; on columns of unit variance the largest hardly
# regularise, and take most of the time.
LOGISTIC_CS = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]


@dataclass(frozen=True)
class Effort:
    """How much is computed."""

    # Repeats of cross-validation and of learning curves; the paper has 20 and 100.
    table_repeats: int = 20
    figure_repeats: int = 100
    n_problems: int = 100_000  # Random problems of Theorem 1

    @staticmethod
    def quick() -> Effort:
        """Enough to see that everything works, in about a minute."""
        return Effort(2, 4, 5_000)


def regularised_contestants() -> tuple[Contestant, ...]:
    """What a careful user would have done without unlabeled rows, and ICLS on top of it."""
    # scoring is named since its default changes with the version of scikit-learn.
    logistic = LogisticRegressionCV(Cs=LOGISTIC_CS, cv=5, scoring="accuracy", max_iter=1000)
    return (
        Contestant(RIDGE, LeastSquaresClassifier(alpha="loo"), SUPERVISED, sees=Sees.LABELED),
        Contestant(RIDGE_ICLS, ICLSClassifier(alpha="loo"), RIDGE),
        Contestant(RIDGE_PROJECTED, ProjectedLeastSquaresClassifier(alpha="loo"), RIDGE),
        Contestant(LOGISTIC, logistic, RIDGE, sees=Sees.LABELED),
    )


def table2_experiment(tables: tuple[LabeledTable, ...], effort: Effort) -> Experiment:
    """Cross-validation of the paper's classifiers."""
    return Experiment(tables, CrossValidation(effort.table_repeats), paper_contestants())


def figure2_experiment(tables: tuple[LabeledTable, ...], effort: Effort) -> Experiment:
    """Learning curves of the paper's classifiers."""
    return Experiment(tables, LearningCurves(effort.figure_repeats), paper_contestants())


def regularised_experiment(tables: tuple[LabeledTable, ...], effort: Effort) -> Experiment:
    """The protocol of Table 2 with penalties chosen by leave-one-out, on the same draws."""
    return Experiment(tables, CrossValidation(effort.table_repeats), regularised_contestants())
