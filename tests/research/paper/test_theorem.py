from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from tacit.research.paper.theorem import Mixture, Population, check, least_squares
from tacit.research.paper.theorem._moments import Moments, terms
from tacit.research.paper.theorem._problems import (
    FAMILIES,
    KINDS,
    N_PARAMETERS,
    batches,
    family_and_kind,
    n_labeled,
    nodes_of,
)


def half(x):
    return np.full_like(x, 0.5)


# E max(x, 0), E max(-x, 0) and E x^2 in closed form.
def normal_moments(mean, deviation):
    z = mean / deviation
    above = mean * stats.norm.cdf(z) + deviation * stats.norm.pdf(z)
    return above, above - mean, mean**2 + deviation**2


CLOSED_FORMS = {
    "normal": (stats.norm(0.7, 2.0), normal_moments(0.7, 2.0)),
    "normal far from zero": (stats.norm(1e6, 1.0), (1e6, 0.0, 1e12 + 1)),
    "normal of a small scale": (
        stats.norm(0.7e-8, 2e-8),
        np.array(normal_moments(0.7, 2.0)) * [1e-8, 1e-8, 1e-16],
    ),
    "uniform": (stats.uniform(-1, 3), (4 / 6, 1 / 6, 1.0)),
    "exponential": (stats.expon(), (1.0, 0.0, 2.0)),
    "shifted exponential": (stats.expon(-1), (np.exp(-1), np.exp(-1), 1.0)),
    "gamma with a pole at zero": (stats.gamma(0.2), (0.2, 0.0, 0.24)),
    "Laplace": (stats.laplace(), (0.5, 0.5, 2.0)),
    "Laplace with a kink beside zero": (
        stats.laplace(1.0),
        (1 + np.exp(-1) / 2, np.exp(-1) / 2, 3.0),
    ),
    "lognormal": (stats.lognorm(2.0), (np.exp(2), 0.0, np.exp(8))),
    "heavy tails": (stats.t(2.5), (np.nan, np.nan, 5.0)),
    "Pareto": (stats.pareto(2.5), (2.5 / 1.5, 0.0, 5.0)),
    "Poisson": (stats.poisson(3.0, -1), (2 + np.exp(-3), np.exp(-3), 7.0)),
    "binomial": (stats.binom(2, 0.5, -1), (0.25, 0.25, 0.5)),
    "mixture with an atom": (
        Mixture([0.25, 0.75], [stats.randint(2, 3), stats.uniform(-1, 2)]),
        (0.5 + 0.75 / 4, 0.75 / 4, 1.0 + 0.25),
    ),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_interval_and_second_moment_are_those_of_the_closed_form(name):
    feature, (above, below, second) = CLOSED_FORMS[name]
    population = Population(feature, half)
    lower, upper = population.interval
    assert population.second_moment == pytest.approx(second, rel=1e-10)
    if np.isfinite(above):
        assert upper == pytest.approx(above / second, rel=1e-10)
        assert lower == pytest.approx(-below / second, rel=1e-10, abs=1e-14 / np.sqrt(second))


def test_beta_star_agrees_with_an_adaptive_integral_over_the_density():
    feature = stats.gumbel_r(-0.3, 1.4)

    def probability(x):
        return expit(1.0 + 2.0 * x - x**2)

    exact, _ = integrate.quad(
        lambda x: x * probability(x) * feature.pdf(x), -10, 40, epsabs=1e-13, limit=200
    )
    population = Population(feature, probability)
    second = feature.var() + feature.mean() ** 2
    assert population.beta_star == pytest.approx(exact / second, rel=1e-10)


@pytest.mark.parametrize("jump", [0.37, -1.234, 1e-6, 2.9])
def test_a_jump_is_met_exactly_where_it_is_named_and_closely_elsewhere(jump):
    def probability(x):
        return (x > jump).astype(float)

    # E x 1[x > a] is the normal density at a.
    exact = stats.norm.pdf(jump)
    named = Population(stats.norm(), probability, breakpoints=(jump,))
    assert named.beta_star == pytest.approx(exact, abs=1e-12)
    assert Population(stats.norm(), probability).beta_star == pytest.approx(exact, abs=1e-4)


def test_risk_is_the_expected_squared_loss():
    population = Population(stats.poisson(2.0, -2), lambda x: expit(x))
    x = np.arange(-2.0, 80.0)
    weight, p = stats.poisson(2.0, -2).pmf(x), expit(x)
    for beta in (-0.4, 0.0, 0.3, 2.0):
        direct = weight @ (p * (x * beta - 1) ** 2 + (1 - p) * (x * beta) ** 2)
        assert population.risk(beta) == pytest.approx(direct, rel=1e-12)
    assert population.risk(np.array([0.0, 0.3])).shape == (2,)


def test_risk_is_the_mean_loss_of_a_large_sample():
    population = Population(
        Mixture([0.4, 0.6], [stats.norm(-1, 0.5), stats.expon(0.5)]), lambda x: 0.1 + 0.8 * (x > 1)
    )
    sample = population.sample(200_000, np.random.default_rng(0))
    for beta in (0.0, 0.5, -0.3):
        loss = (sample.x * beta - sample.y) ** 2
        error = loss.std() / np.sqrt(len(loss))
        assert abs(loss.mean() - population.risk(beta)) < 4 * error
    assert set(np.unique(sample.y)) == {0.0, 1.0}


def test_beta_star_has_the_least_risk():
    population = Population(stats.skewnorm(3, -0.5), lambda x: 0.5 + 0.4 * np.sin(3 * x))
    around = population.beta_star + np.linspace(-1, 1, 41)
    assert population.risk(around).argmin() == 20


@pytest.mark.parametrize("feature", [stats.norm(0.2), stats.t(3), stats.beta(0.5, 0.5, -0.3)])
def test_labels_by_sign_put_beta_star_exactly_on_the_ends(feature):
    ones_above = Population(feature, lambda x: (x > 0).astype(float))
    ones_below = Population(feature, lambda x: (x < 0).astype(float))
    assert ones_above.beta_star == ones_above.interval[1]
    assert ones_below.beta_star == ones_below.interval[0]


def test_beta_semi_is_the_nearest_point_of_the_interval():
    population = Population(stats.uniform(-1, 2), half)
    lower, upper = population.interval
    assert population.beta_semi(5.0) == upper
    assert population.beta_semi(-5.0) == lower
    assert population.beta_semi(0.1) == 0.1


def test_many_unlabeled_rows_lead_to_the_interval():
    feature = stats.gamma(2.0, -1.5)
    x = feature.ppf((np.arange(200_000) + 0.5) / 200_000)
    lower, upper = Population(feature, half).interval
    assert np.minimum(x, 0).sum() / (x @ x) == pytest.approx(lower, rel=1e-4)
    assert np.maximum(x, 0).sum() / (x @ x) == pytest.approx(upper, rel=1e-4)


@pytest.mark.parametrize("feature", [stats.cauchy(), stats.t(2), stats.t(1.5), stats.pareto(2)])
def test_an_infinite_second_moment_is_refused(feature):
    with pytest.raises(ValueError, match="finite second moment"):
        Population(feature, half)


def test_tails_too_heavy_to_integrate_are_refused_not_integrated_wrongly():
    with pytest.raises(ValueError, match="could not be integrated"):
        Population(stats.t(2.01), half)


def test_values_that_are_missed_are_refused():
    with pytest.raises(ValueError, match="shift by a whole number"):
        Population(stats.poisson(2, 0.1), half)


def test_a_feature_that_is_always_zero_is_refused():
    with pytest.raises(ValueError, match="must not be 0"):
        Population(stats.randint(0, 1), half)


def test_a_probability_outside_of_zero_and_one_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        Population(stats.norm(), lambda x: x)


def test_something_else_than_a_distribution_is_refused():
    with pytest.raises(TypeError, match=r"scipy\.stats"):
        Population(3.0, half)


def test_wrong_weights_of_a_mixture_are_refused():
    with pytest.raises(ValueError, match="sum to 1"):
        Mixture([0.5, 0.6], [stats.norm(), stats.expon()])
    with pytest.raises(ValueError, match="as many"):
        Mixture([1.0], [stats.norm(), stats.expon()])


def test_a_population_does_not_change():
    with pytest.raises(FrozenInstanceError):
        Population(stats.norm(), half).feature = stats.expon()


def test_a_sample_of_zeros_has_the_coefficient_zero():
    assert least_squares(np.zeros(3), np.ones(3)) == 0.0
    assert least_squares(np.array([1.0, 2.0]), np.array([0.0, 1.0])) == pytest.approx(0.4)


N = 3 * len(FAMILIES) * len(KINDS)


def test_the_semi_supervised_risk_is_never_higher():
    result = check(N, seed=3)
    assert result.holds
    assert result.total.higher == 0
    assert result.total.problems == N == result.total.lower + result.total.equal
    assert len(result.families) == len(FAMILIES) >= 12
    assert all(0 < row.lower < row.problems for row in result.families)
    assert 0 < result.total.gain < 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda beta, lower, upper: np.clip(beta, 0.8 * lower, 0.8 * upper),
        lambda beta, lower, upper: np.clip(beta, lower, 0.99 * upper),
        lambda beta, lower, upper: np.where(beta > upper, lower, beta),
        lambda beta, lower, upper: np.zeros_like(beta),
        lambda beta, lower, upper: np.full_like(beta, np.nan),
    ],
    ids=["shrunk", "one end shrunk by a hundredth", "wrong end", "zero", "not a number"],
)
def test_the_check_finds_violations_of_a_wrong_projection(wrong):
    result = check(N, seed=3, projection=wrong)
    assert not result.holds
    assert result.total.higher > 0


def test_an_interval_shrunk_by_rounding_alone_is_a_violation():
    # The labelings by sign have beta_star on the very end: one step inside is already too far.
    def inside(beta, lower, upper):
        return np.clip(beta, np.nextafter(lower, np.inf), np.nextafter(upper, -np.inf))

    with_end = [
        moments.risk_change(moments.upper, inside(moments.upper, moments.lower, moments.upper))
        for moments in (batch.moments for batch in batches(0, N, 0))
    ]
    assert (np.concatenate(with_end) > 0).any()


def test_the_sign_of_the_change_is_that_of_the_difference_of_the_risks():
    for batch in batches(0, N, 1):
        moments, before = batch.moments, batch.beta_sup
        after = np.clip(before, moments.lower, moments.upper)
        change = moments.risk_change(before, after)
        difference = moments.risk(after) - moments.risk(before)
        np.testing.assert_allclose(
            change, difference, rtol=1e-9, atol=1e-12 * (1 + moments.risk(before)).max()
        )


def test_the_fixed_nodes_agree_with_closed_forms():
    result = check(N, seed=0)
    assert result.total.error < 1e-5


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_nodes_of_the_check_agree_with_many_more(family):
    u = np.random.default_rng(5).random(N_PARAMETERS)
    feature = family.member(list(u))
    unit = np.sqrt(feature.var() + feature.mean() ** 2)
    population = Population(feature, lambda x: expit(x / unit))
    columns = family.member([np.full((1, 1), value) for value in u])
    cuts = [np.zeros((1, 1)), *([np.reshape(family.kink(columns), (1, 1))] if family.kink else [])]
    x, weight = nodes_of(columns, sorted(cuts, key=np.ndarray.item))
    moments = Moments(*terms(x, weight, expit(x / unit)).sum(axis=-1))
    assert population.interval == pytest.approx(
        (moments.lower[0], moments.upper[0]), abs=1e-5 / unit
    )
    assert population.beta_star == pytest.approx(moments.beta_star[0], abs=1e-4 / unit)


def test_every_family_meets_every_kind_of_labeling_equally_often():
    families, kinds = family_and_kind(np.arange(N))
    pairs, counts = np.unique(np.stack([families, kinds]), axis=1, return_counts=True)
    assert pairs.shape[1] == len(FAMILIES) * len(KINDS)
    assert set(counts) == {3}


def test_there_are_one_to_fifty_labeled_rows():
    sizes = n_labeled(np.linspace(2.0**-54, 1 - 2.0**-53, 10_000))
    assert set(sizes) == set(range(1, 51))


def test_a_problem_depends_on_seed_and_number_only():
    whole = np.sort(np.concatenate([batch.beta_sup for batch in batches(0, 300, 7)]))
    parts = np.sort(
        np.concatenate(
            [batch.beta_sup for start in (200, 0, 100) for batch in batches(start, start + 100, 7)]
        )
    )
    np.testing.assert_array_equal(whole, parts)
    other = np.sort(np.concatenate([batch.beta_sup for batch in batches(0, 300, 8)]))
    assert (whole != other).mean() > 0.5


def test_the_same_seed_gives_the_same_result_and_progress_is_told():
    told: list[int] = []
    first = check(4_100, seed=2, on_progress=told.append)
    assert told == [4_000, 4_100]
    assert first == check(4_100, seed=2)


def test_the_result_reads_as_words():
    text = str(check(500))
    assert "500 random problems from 18 families" in text
    assert "higher than the supervised one in 0," in text
    assert "mixture of normals" in text


def test_no_problems_are_refused():
    with pytest.raises(ValueError, match="n_problems"):
        check(0)
