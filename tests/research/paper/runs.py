"""Made-up results with known answers."""

import numpy as np

from tacit.research.experiments import CrossValidation, LearningCurves, Results, Run
from tacit.research.experiments._contestants import (
    ICLS,
    ORACLE,
    PROJECTED,
    SELF_LEARNING,
    SUPERVISED,
)
from tacit.research.experiments._measures import ERROR

PAPER = (SUPERVISED, SELF_LEARNING, ICLS, PROJECTED, ORACLE)


def table2_runs(errors, n_repeats=20, dataset="Ionosphere", spread=0.01, seed=0):
    """Runs of cross-validation with these mean errors, each exactly met."""
    random = np.random.default_rng(seed)
    noise = random.normal(0.0, spread, (len(errors), n_repeats))
    noise -= noise.mean(axis=1, keepdims=True)
    return [
        _run(dataset, CrossValidation.name, name, 277, repeat, mean + noise[place, repeat])
        for place, (name, mean) in enumerate(errors.items())
        for repeat in range(n_repeats)
    ]


def curve_runs(curves, n_repeats=100, dataset="Diabetes", spread=0.01, seed=0):
    """Runs of learning curves with these mean errors at 2, 4, 8, ... unlabeled rows."""
    random = np.random.default_rng(seed)
    return [
        _run(
            dataset, LearningCurves.name, name, 2**power, repeat, mean + random.normal(0.0, spread)
        )
        for name, means in curves.items()
        for power, mean in enumerate(means, 1)
        for repeat in range(n_repeats)
    ]


def _run(dataset, protocol, classifier, n_unlabeled, repeat, value, status="ok"):
    return Run(
        dataset, protocol, classifier, 38, n_unlabeled, repeat, ERROR, float(value), 0.1, status
    )


def published_like(**changes):
    """Ionosphere as published, with changes."""
    errors = {SUPERVISED: 0.29, SELF_LEARNING: 0.24, ICLS: 0.19, PROJECTED: 0.25, ORACLE: 0.13}
    return Results.of(table2_runs(errors | changes))
