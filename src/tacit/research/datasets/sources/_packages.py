"""Find files of an installed package without importing it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

from tacit.research.datasets.sources._protocol import Absence


def package_version(distribution: str) -> str:
    """The installed version, or "unknown version" where the package does not say."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def package_files(distribution: str, module: str, files: tuple[str, ...]) -> list[Path] | Absence:
    """Paths of data files inside a package that may or may not be installed.

    The package is not imported: the data packages bring imports of their own that may be missing,
    slow, or talkative.

    Parameters
    ----------
    distribution, module : str
        The package's name on PyPI, and the name it is imported by.
    files : tuple of str
        Paths below the package's folder.

    Returns
    -------
    list of Path or Absence
        All of the files, or why they are not there.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return Absence(f"{distribution} is not installed: pip install 'tacit[data]'")
    folder = Path(next(iter(spec.submodule_search_locations)))
    paths = [folder / file for file in files]
    for path in paths:
        if not path.is_file():
            return Absence(
                f"{distribution} {package_version(distribution)} is installed but lacks "
                f"{path.relative_to(folder)}: pip install --force-reinstall {distribution}"
            )
    return paths
