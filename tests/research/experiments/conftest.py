"""What several tests watch and change."""

import pytest

from tacit.research.experiments import _engine as engine
from tacit.research.experiments import _experiment as experiment


@pytest.fixture
def trials_run(monkeypatch):
    """(dataset, protocol, repeat, classifiers) of all trials that are run."""
    found = []
    original = engine.run_trial

    def noting(trial, table):
        classifiers = tuple(c.name for c in trial.contenders)
        found.append((trial.dataset, trial.protocol.name, trial.repeat, classifiers))
        return original(trial, table)

    monkeypatch.setattr(engine, "run_trial", noting)
    return found


@pytest.fixture
def written_at_once(monkeypatch):
    monkeypatch.setattr(experiment, "WRITE_EVERY", 0.0)
