"""The places where datasets are looked for, one file each."""

from tacit.datasets.sources.cache import Cache
from tacit.datasets.sources.common import CommonDatasets
from tacit.datasets.sources.folder import DatasetFileError, Folder
from tacit.datasets.sources.keel import Keel
from tacit.datasets.sources.openml import OpenMLServer
from tacit.datasets.sources.protocol import Absence, Copy, Source, SourceError, Table
from tacit.datasets.sources.scikit_learn import ScikitLearn
from tacit.datasets.sources.sslbook import SSLBook

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
