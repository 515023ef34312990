"""The places where datasets are looked for, one file each."""

from tacit.research.datasets.sources._cache import Cache
from tacit.research.datasets.sources._common import CommonDatasets
from tacit.research.datasets.sources._folder import DatasetFileError, Folder
from tacit.research.datasets.sources._keel import Keel
from tacit.research.datasets.sources._openml import OpenMLServer
from tacit.research.datasets.sources._protocol import Absence, Copy, Source, SourceError, Table
from tacit.research.datasets.sources._scikit_learn import ScikitLearn
from tacit.research.datasets.sources._sslbook import SSLBook

__all__ = [
    "Absence",
    "Cache",
    "CommonDatasets",
    "Copy",
    "DatasetFileError",
    "Folder",
    "Keel",
    "OpenMLServer",
    "SSLBook",
    "ScikitLearn",
    "Source",
    "SourceError",
    "Table",
]
