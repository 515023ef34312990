"""The tables and the picture of the page on evidence, from folders of runs, finished or growing.

python -m docs.pictures.evidence FOLDER ... reads what `tacit benchmark` has written so far with the
suites evidence and book; of the same run in several folders the last counts. Nothing is fitted and
nothing in a folder is changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tacit._files import write_text
from tacit._words import number_of
from tacit.report import save_figure
from tacit.research.experiments import Results, RunStore
from tacit.research.experiments._evidence import (
    BOOK_LABELS,
    LABELS,
    BookSplits,
    Case,
    HeldBack,
    book_grid,
    evidence_cases,
    evidence_figure,
    evidence_grid,
    incomplete_runs,
)
from tacit.research.experiments._peers import TACIT, evidence_contestants

# In points of error: what a reader would call nothing.
NOTHING = 0.5


def read_results(folders: list[Path], asked: int, protocol: str) -> Results:
    """The runs of one protocol and number of labels, with contestants in their usual order."""
    stores = [folder / f"runs-{asked}" for folder in folders]
    every = [run for store in stores if store.is_dir() for run in RunStore(store).read()]
    found = {run.key: run for run in every if run.protocol == protocol}
    order = [contestant.name for contestant in evidence_contestants()]
    return Results.of(sorted(found.values(), key=lambda run: order.index(run.classifier)))


def where(cases: list[Case]) -> str:
    """Sentences that name the sets where something is gained, where nothing, and where it costs."""
    changes: dict[str, list[float]] = {}
    for case in cases:
        if case.method == TACIT:
            changes.setdefault(case.dataset, []).append(100.0 * (case.error - case.anchors))
    means = {name: sum(values) / len(values) for name, values in changes.items()}
    groups = {
        -1: f"the error falls by more than {NOTHING} points",
        0: f"it changes by at most {NOTHING} points, so that nothing is gained",
        1: f"it rises by more than {NOTHING} points",
    }
    n_cases = sum(map(len, changes.values()))
    lines = [f"Of {number_of(n_cases, 'case')} on {number_of(len(means), 'set')}:", ""]
    for sign, what in groups.items():
        names = [n for n, mean in means.items() if (mean > NOTHING) - (mean < -NOTHING) == sign]
        names.sort(key=means.__getitem__)
        told = ", ".join(f"{name} ({means[name]:+.1f})" for name in names) or "none"
        lines.append(f"- {number_of(len(names), 'set')} where {what}: {told}.")
    worse = [
        f"{case.dataset} with {case.n_labeled} labels ({100.0 * (case.error - case.anchors):+.1f})"
        for case in cases
        if case.method == TACIT and case.direction > 0
    ]
    lines += ["", f"Significantly higher, however little: {', '.join(worse) or 'nowhere'}."]
    return "\n".join(lines) + "\n"


def standing(cases: list[Case]) -> str:
    """A sentence that sets the mean error beside those of all others, on the cases of both."""
    errors: dict[str, dict[tuple[str, int], float]] = {}
    for case in cases:
        errors.setdefault(case.method, {})[case.dataset, case.n_labeled] = case.error
    own, ratios = errors.pop(TACIT), []
    for name, others in errors.items():
        both = own.keys() & others.keys()
        ratios.append((sum(own[c] for c in both) / sum(others[c] for c in both), name))
    told = ", ".join(f"{ratio:.3f} of {name}" for ratio, name in sorted(ratios))
    lowest = sum(
        own[case] <= min(others.get(case, 1.0) for others in errors.values()) for case in own
    )
    return (
        f"Its mean error is {told}; it is the lowest, or as low, in {lowest} of "
        f"{number_of(len(own), 'case')}.\n"
    )


def main() -> None:
    """Write the tables and the picture."""
    folders, out = list(map(Path, sys.argv[1:])), Path("docs/evidence")
    results = [read_results(folders, asked, HeldBack.name) for asked in LABELS]
    methods = list(dict.fromkeys(name for one in results for name in one.names("classifier")))
    cases = evidence_cases(results, methods)
    if not any(case.method == TACIT for case in cases):
        sys.exit(f"{sys.argv[1:]} has no runs of {TACIT}; name the folder of a benchmark.")
    out.mkdir(parents=True, exist_ok=True)
    n_draws = max(one.n_repeats() for one in results)
    grid = evidence_grid(cases, n_draws, incomplete_runs(results, methods))
    write_text(out / "evidence.md", grid.markdown())
    write_text(out / "cases.csv", grid.csv())
    write_text(out / "where.md", where(cases) + "\n" + standing(cases))
    save_figure(evidence_figure(cases), out / "evidence.png")
    for asked in BOOK_LABELS:
        book = read_results(folders, asked, BookSplits.name)
        if book.runs:
            grid = book_grid(book, book.names("classifier"), asked)
            write_text(out / f"book-{asked}.md", grid.markdown())
    print(f"{number_of(len({(c.dataset, c.n_labeled) for c in cases}), 'case')}: see {out}.")


if __name__ == "__main__":
    main()
