"""Time against the number of unlabeled rows, with the peers as lines."""

from __future__ import annotations

from pathlib import Path

from sklearn.linear_model import Ridge

from benchmarks.instances import gaussian
from benchmarks.measure import medians
from benchmarks.peers import PEERS
from benchmarks.problems import box_problem
from tacit import ICLSClassifier

SIZES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
# A peer is not run on larger tables once it has taken so long.
LONG = 10.0
OURS, RIDGE = "Tacit (exact)", "Ridge (supervised)"
COLOURS = {
    OURS: "#0072B2",
    RIDGE: "#999999",
    "L-BFGS-B (SciPy)": "#D55E00",
    "OSQP": "#009E73",
    "Clarabel": "#CC79A7",
}

Curves = dict[str, list[tuple[int, float]]]


def measure_curves(largest: int) -> Curves:
    """Seconds of each solver for each size, as far as it got to the gap in reasonable time."""
    curves: Curves = {name: [] for name in COLOURS}
    slow: dict[str, float] = {}
    for n_unlabeled in (size for size in SIZES if size <= largest):
        instance = gaussian(55, n_unlabeled, 50)
        target = instance.X_unlabeled[:, 0].copy()
        model, ridge = ICLSClassifier(), Ridge(solver="cholesky")
        seconds = medians(
            {
                OURS: lambda m=model, i=instance: m.fit(i.X, i.y, X_unlabeled=i.X_unlabeled),  # type: ignore[misc]
                RIDGE: lambda r=ridge, i=instance, t=target: r.fit(i.X_unlabeled, t),  # type: ignore[misc]
            },
            3,
        )
        for name, value in seconds.items():
            curves[name].append((n_unlabeled, value))
        if n_unlabeled > 100_000:
            continue
        problem = box_problem(instance)
        for name, peer in PEERS.items():
            if slow.get(name, 0.0) > LONG:
                continue
            result = peer(problem, 1e-8)
            slow[name] = result.seconds
            if result.relative_gap <= 1e-8:
                curves[name].append((n_unlabeled, result.seconds))
    return curves


def draw(curves: Curves, path: Path) -> None:
    """The curves on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.6), layout="constrained", dpi=150)
    axes = figure.subplots()
    for name, points in curves.items():
        if not points:
            continue
        x, y = zip(*points, strict=True)
        style = "--" if name == RIDGE else "-"
        width = 2.4 if name == OURS else 1.4
        axes.plot(
            x, y, style, color=COLOURS[name], linewidth=width, marker="o", markersize=3, label=name
        )
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel("unlabeled rows (50 features, 55 labels)")
    axes.set_ylabel("seconds to a relative duality gap of 1e-8")
    axes.set_title("ICLS, whole fit, beside general solvers on its inner problem", fontsize=11)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    figure.savefig(path)
