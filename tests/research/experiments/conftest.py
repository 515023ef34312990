"""What several tests watch and change."""

import pytest

from tacit.research.experiments import _experiment as experiment


@pytest.fixture
def tasks_run(monkeypatch):
    """(dataset, protocol, repeat, classifiers) of all tasks that are run."""
    found = []
    original = experiment.run_task

    def noting(table, task):
        classifiers = tuple(c.name for c in task.contestants)
        found.append((table.name, task.protocol.name, task.repeat, classifiers))
        return original(table, task)

    monkeypatch.setattr(experiment, "run_task", noting)
    return found


@pytest.fixture
def written_at_once(monkeypatch):
    monkeypatch.setattr(experiment, "WRITE_EVERY", 0.0)
