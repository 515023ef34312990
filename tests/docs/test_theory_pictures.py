"""The pictures of the theory pages show what their captions and their pages say."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="pictures need the extra plots")

from docs.pictures import theory, theory_dual, theory_guarantee, theory_working_set
from docs.pictures.theory_example import small_problem
from docs.pictures.theory_projection import ellipse, squared_distance
from tacit.research.paper import least_squares
from tacit.research.paper._figures import example

THEORY = Path(theory.__file__).parents[1] / "theory"


def page(name):
    """A page as one line, so that line breaks do not matter."""
    return " ".join((THEORY / f"{name}.md").read_text().split())


@pytest.fixture(scope="module")
def small():
    return small_problem()


@pytest.fixture(scope="module")
def meeting():
    return theory_dual.compute()


@pytest.fixture(scope="module")
def watch():
    return theory_working_set.compute()


@pytest.fixture(scope="module")
def changes():
    return theory_guarantee.compute()


def heights_above(border, point):
    """Signed distances from the sides of a polygon that is given anticlockwise; inside is >= 0."""
    sides = np.roll(border, -1, axis=0) - border
    return sides[:, 0] * (point - border)[:, 1] - sides[:, 1] * (point - border)[:, 0]


def test_every_page_shows_its_picture_and_names_the_code_that_draws_it():
    for name in theory.PICTURES:
        assert (theory.IMAGES / f"theory_{name}.png").exists()
        assert f"../images/theory_{name}.png" in page(name)
        assert f"docs/pictures/theory_{name}.py" in page(name)


def test_all_pictures_are_drawn_by_one_call(tmp_path):
    paths = theory.draw_all(tmp_path)
    assert {path.name for path in paths} == {f"theory_{name}.png" for name in theory.PICTURES}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


def test_the_points_of_the_zonotope_are_the_least_squares_fits_of_the_labelings(small):
    rows = np.column_stack([np.ones(11), np.concatenate([small.x, small.x_u])])
    random = np.random.default_rng(0)
    for u in random.integers(0, 2, (5, 6)).astype(float):
        fit = np.linalg.lstsq(rows, np.concatenate([small.y, u]), rcond=None)[0]
        np.testing.assert_allclose(small.member(u), fit)
    assert len(small.members) == 64


def test_the_zonotope_has_twelve_corners_and_holds_all_labelings(small):
    border = small.border
    assert len(border) == 12
    assert "only 12 corners" in page("zonotope")
    sides = np.roll(border, -1, axis=0) - border
    turns = sides[:, 0] * np.roll(sides, -1, axis=0)[:, 1]
    turns -= sides[:, 1] * np.roll(sides, -1, axis=0)[:, 0]
    assert (turns > 1e-9).all()  # each of the twelve is a corner
    for member in small.members:
        assert (heights_above(border, member) > -1e-12).all()
    # And each of them is a labeling, so that there is nothing in the polygon but C.
    for corner in border:
        assert np.abs(small.members - corner).sum(axis=1).min() < 1e-12


def test_the_supervised_point_is_outside_and_its_projections_are_on_the_border(small):
    points = small.points
    assert heights_above(small.border, points["supervised"]).min() < -1e-3
    for name in ("ICLS", "projected"):
        assert abs(heights_above(small.border, points[name]).min()) < 1e-10
    assert np.linalg.norm(points["ICLS"] - points["projected"]) > 0.05


def test_the_ellipses_touch_the_set_at_the_two_projections(small):
    start = small.points["supervised"]
    for name, M in (("ICLS", small.S), ("projected", small.A)):
        reach = squared_distance(M, start, small.points[name])
        # No point of the border is nearer, so the ellipse does not cut into C.
        steps = np.linspace(0.0, 1.0, 200)[:, None]
        for here, there in zip(small.border, np.roll(small.border, -1, axis=0), strict=True):
            for place in here + steps * (there - here):
                assert squared_distance(M, start, place) >= reach * (1 - 1e-9)
        for place in ellipse(M, start, reach**0.5)[::50]:
            assert np.isclose(squared_distance(M, start, place), reach)


def test_the_top_of_the_dual_lies_on_the_line_of_one_row_whose_label_is_fractional(small):
    solution = small.projected.solution_
    (row,) = theory_dual.rows_on_the_hyperplane(small.problem, solution.dual)
    assert f"the line of row {row + 1}" in page("dual")
    assert 0.01 < solution.labels()[row] < 0.99
    assert solution.n_fractional() == 1
    best = theory_dual.dual_objective(small.problem, solution.dual)
    assert np.isclose(best, solution.objective)
    for q in solution.dual + 0.5 * np.random.default_rng(0).normal(size=(100, 2)):
        assert theory_dual.dual_objective(small.problem, q) < best


def test_primal_and_dual_values_enclose_the_optimum_and_meet(meeting):
    optimum = meeting.primal[-1]
    assert (meeting.primal >= optimum - 1e-9).all()
    assert (meeting.dual <= optimum + 1e-9).all()
    assert np.isclose(meeting.dual[-1], optimum, rtol=1e-12)
    gaps = np.array([solution.gap() for solution in meeting.stopped])
    np.testing.assert_allclose(meeting.primal - meeting.dual, gaps, atol=1e-9)
    assert len(meeting.stopped) - 1 == 6
    assert "After six iterations" in page("dual")
    assert f"they meet at {optimum:.2f}" in page("dual")
    assert meeting.problem.rank == 31
    assert meeting.stopped[-1].n_fractional() == 15
    assert "15 for $r = 31$; the other 514 labels" in page("dual")


def test_the_working_set_ends_with_few_rows_in_question_and_a_gap_at_rounding(watch):
    first, *_, exact = watch.stages
    text = page("working_set")
    # The last digits differ with the BLAS: a hyperplane moves by what rounding leaves of a sample.
    wrong = [round(stage.wrong, -2 if stage.wrong > 1000 else -1) for stage in watch.stages]
    assert wrong == [7000, 1800, 1600, 110, 0]
    assert "about 7,000, 1,800, 1,600, 110 and 0 rows" in text
    assert "so close that about 110 rows" in text
    assert round(exact.n_seen, -2) == 1000
    assert "about 1,000 of 100,000" in text
    assert "an exact solve for the nearest 1,000 or so" in text
    assert watch.in_set.sum() == exact.n_seen
    assert first.relative_gap > 0.1
    assert exact.relative_gap < 1e-15
    assert watch.solution.n_sweeps == 3
    assert "three sweeps" in text


def test_labels_outside_of_the_working_set_are_decided_by_sign(watch):
    outside = ~watch.in_set
    np.testing.assert_array_equal(watch.labels[outside], watch.slopes[outside] < 0)
    fractional = (watch.labels > 1e-9) & (watch.labels < 1 - 1e-9)
    assert fractional.sum() == 14
    assert "14 of which are fractional" in page("working_set")


def test_watching_the_solver_does_not_change_its_answer(watch):
    X, y = theory_working_set.table()
    n = theory_working_set.N_LABELED
    model = theory_working_set.ProjectedLeastSquaresClassifier(solver="working-set")
    model.fit(X[:n], y[:n], X[n:])
    np.testing.assert_array_equal(model.solution_.dual, watch.solution.dual)


def test_no_labeling_leaves_the_range_of_the_certificate_and_the_projected_loss_never_rises(
    changes,
):
    for name, found in changes.items():
        certificate = found.certificate
        assert found.everything.min() >= certificate.best_change - 1e-12
        assert found.everything.max() <= certificate.worst_change + 1e-12
        # The adversary's last labeling is the worst of all.
        worst = found.by_kind["an adversary"].max()
        assert np.isclose(worst, certificate.worst_change)
        assert (found.everything.max() <= 0.0) == (name == "projected")


def test_the_guarantee_is_attained(changes):
    certificate = changes["projected"].certificate
    assert certificate.guaranteed_improvement > 0.01
    assert np.isclose(certificate.worst_change, -certificate.guaranteed_improvement)


def test_the_words_beside_the_guarantee_s_picture_have_its_numbers(changes):
    text = page("guarantee")
    for found in changes.values():
        for value in (found.certificate.best_change, found.certificate.worst_change):
            assert f"{value:+.3f}".replace("-", "−") in text
    assert f"a rise of {changes['self-learning'].truth:.3f}" in text


@pytest.mark.slow
def test_the_table_of_the_guarantee_is_what_a_hundred_draws_give():
    draws = theory_guarantee.over_draws(100)
    text = page("guarantee")
    for name in theory_guarantee.METHODS:
        counts = (draws.loss_rose[name], draws.can_rise[name], draws.error_rose[name])
        cells = " | ".join(f"{count} of 100" for count in counts)
        assert f"| {name} | {cells} | {100 * draws.mean_error[name]:.1f}% |" in text
    assert f"| supervised | | | | {100 * draws.mean_error['supervised']:.1f}% |" in text


def test_more_than_a_third_of_the_samples_of_theorem_1_are_outside_of_the_interval():
    shown = example()
    random = np.random.default_rng(0)
    samples = [shown.population.sample(len(shown.x), random) for _ in range(4000)]
    betas = np.array([float(least_squares(x, y)) for x, y in samples])
    lower, upper = shown.population.interval
    assert 1 / 3 < np.mean((betas < lower) | (betas > upper)) < 0.4
    assert "more than a third of the samples" in page("theorem1")
