"""What `import tacit` costs: nothing, and its classifiers nothing but scikit-learn."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest

import tacit
import tacit.family

# Packages that load their names when they are asked for.
LAZY = ("tacit", "tacit.family", "tacit.research.datasets", "tacit.tables")
OPTIONAL = ("matplotlib", "jinja2", "pandas", "dask", "distributed", "pyarrow", "rich", "typer")

# Runs in a fresh interpreter that has none of the optional packages.
WITHOUT_THEM = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(statement: str, before: str = "") -> set[str]:
    printed = run(f"{before}\n{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))")
    return set(json.loads(printed.splitlines()[-1]))


@pytest.fixture(scope="module")
def loaded_by_tacit() -> set[str]:
    return loaded_by("import tacit.estimators")


def test_the_package_alone_loads_nothing_but_the_standard_library() -> None:
    packages = {name.partition(".")[0] for name in loaded_by("import tacit")}
    assert packages - {"tacit"} <= loaded_by_python()


def loaded_by_python() -> set[str]:
    # What an environment loads at the start is none of our doing.
    return {name.partition(".")[0] for name in loaded_by("")} | set(sys.stdlib_module_names)


@pytest.mark.parametrize("package", LAZY)
def test_every_public_name_can_be_had_and_is_listed(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is getattr(module, name)
    assert set(module.__all__) <= set(dir(module))
    assert len(tacit.__all__) <= 12


@pytest.mark.parametrize("package", LAZY)
def test_a_name_that_is_not_there_is_an_error_that_names_the_package(package: str) -> None:
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match=rf"module '{package}' has no attribute 'nonsense'"):
        _ = module.nonsense
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        exec(f"from {package} import nonsense")


def test_names_are_listed_before_they_are_loaded_and_kept_afterwards() -> None:
    run("""
import sys
import tacit.tables as tables
assert "tacit.tables._fitting" not in sys.modules
assert "sklearn" not in sys.modules and "numpy" not in sys.modules
assert "fit_table" in dir(tables) and "fit_table" not in vars(tables)
from tacit.tables import fit_table
assert vars(tables)["fit_table"] is fit_table is sys.modules["tacit.tables._fitting"].fit_table
""")


@pytest.mark.parametrize("name", [n for n in tacit.family.__all__ if n.endswith("Classifier")])
def test_a_name_that_moved_to_the_family_says_where_it_is(name: str) -> None:
    told = f"{name} is in tacit.family: from tacit.family import {name}"
    with pytest.raises(AttributeError, match=f"^{told}$"):
        getattr(tacit, name)
    assert not hasattr(tacit, name)
    with pytest.raises(ImportError, match=f"^{told}$"):
        exec(f"from tacit import {name}")


def test_import_loads_no_optional_package_beyond_what_scikit_learn_loads_itself(
    loaded_by_tacit: set[str],
) -> None:
    # scikit-learn imports pandas and rich where they are installed, and pandas imports pyarrow.
    loaded_by_sklearn = loaded_by("import sklearn.linear_model")
    for name in OPTIONAL:
        assert name not in loaded_by_tacit - loaded_by_sklearn


def test_import_and_fit_work_where_no_optional_package_is_installed() -> None:
    fit = """
import numpy as np
import tacit
from tacit.selection import LabeledKFold

X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
y = np.array([0, 0, -1, -1, 1, 1])
for name in ("LeastSquares", "ICLS", "ProjectedLeastSquares", "SelfLearning"):
    model = getattr(tacit, name + "Classifier")().fit(X, y)
    assert model.predict(X).tolist() == [0, 0, 0, 1, 1, 1], name
assert len(list(LabeledKFold(2).split(X, y))) == 2
"""
    loaded = loaded_by(fit, before=WITHOUT_THEM)
    assert "tacit" in loaded
    assert not loaded & set(OPTIONAL)


def test_import_loads_no_command_line_experiments_or_figures(loaded_by_tacit: set[str]) -> None:
    for name in ("cli", "research", "report", "family"):
        assert f"tacit.{name}" not in loaded_by_tacit


def test_import_loads_no_other_package_beyond_those_of_a_linear_model(
    loaded_by_tacit: set[str],
) -> None:
    beyond = loaded_by_tacit - loaded_by("import sklearn.linear_model")
    packages = {name.partition(".")[0] for name in beyond}
    assert packages - sys.stdlib_module_names == {"tacit"}


def test_import_takes_less_than_twice_the_processor_time_of_a_linear_model() -> None:
    # Processor time does not count waiting, taking turns shares slow phases of the machine, and
    # the smallest of several runs is the undisturbed one. The ratio is about 1, far from 2.
    def seconds(module: str) -> float:
        return float(run(f"import {module}, time; print(time.process_time())"))

    modules = ("sklearn.linear_model", "tacit.estimators")
    runs = [[seconds(module) for module in modules] for _ in range(3)]
    theirs, ours = (min(times) for times in zip(*runs, strict=True))
    assert ours < 2.0 * theirs
