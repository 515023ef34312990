from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from tacit.research.paper import Mixture, Population, check_theorem, least_squares
from tacit.research.paper._theorem import FAMILIES, KINDS, n_labeled, problems


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
    "lognormal": (stats.lognorm(0.8), (np.exp(0.32), 0.0, np.exp(1.28))),
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
    assert population.second_moment == pytest.approx(second, rel=1e-3)
    assert upper == pytest.approx(above / second, rel=1e-3)
    assert lower == pytest.approx(-below / second, rel=1e-3)


def test_beta_star_agrees_with_an_adaptive_integral_over_the_density():
    feature = stats.gumbel_r(-0.3, 1.4)

    def probability(x):
        return expit(1.0 + 2.0 * x - x**2)

    exact, _ = integrate.quad(
        lambda x: x * probability(x) * feature.pdf(x), -10, 40, epsabs=1e-13, limit=200
    )
    population = Population(feature, probability)
    second = feature.var() + feature.mean() ** 2
    assert population.beta_star == pytest.approx(exact / second, rel=1e-3)


@pytest.mark.parametrize("jump", [0.0, 0.37, -1.234, 1e-6, 2.9])
def test_a_jump_is_met_closely(jump):
    # E x 1[x > a] is the normal density at a.
    population = Population(stats.norm(), lambda x: (x > jump).astype(float))
    assert population.beta_star == pytest.approx(stats.norm.pdf(jump), abs=1e-4)


def test_risk_is_the_expected_squared_loss():
    population = Population(stats.poisson(2.0, -2), lambda x: expit(x))
    x = np.arange(-2.0, 80.0)
    weight, p = stats.poisson(2.0, -2).pmf(x), expit(x)
    for beta in (-0.4, 0.0, 0.3, 2.0):
        direct = weight @ (p * (x * beta - 1) ** 2 + (1 - p) * (x * beta) ** 2)
        assert population.risk(beta) == pytest.approx(direct, rel=1e-3)
    assert population.risk(np.array([0.0, 0.3])).shape == (2,)


def test_risk_is_the_mean_loss_of_a_large_sample():
    population = Population(
        Mixture([0.4, 0.6], [stats.norm(-1, 0.5), stats.expon(0.5)]), lambda x: 0.1 + 0.8 * (x > 1)
    )
    x, y = population.sample(200_000, np.random.default_rng(0))
    for beta in (0.0, 0.5, -0.3):
        loss = (x * beta - y) ** 2
        error = loss.std() / np.sqrt(len(loss))
        assert abs(loss.mean() - population.risk(beta)) < 4 * error
    assert set(np.unique(y)) == {0.0, 1.0}


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
        Population(stats.norm(), half).p = 0.5


def test_a_sample_of_zeros_has_the_coefficient_zero():
    assert least_squares(np.zeros(3), np.ones(3)) == 0.0
    assert least_squares(np.array([1.0, 2.0]), np.array([0.0, 1.0])) == pytest.approx(0.4)


N = 3 * len(FAMILIES) * len(KINDS)


def test_the_semi_supervised_risk_is_never_higher():
    result = check_theorem(N, seed=3)
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
    result = check_theorem(N, seed=3, projection=wrong)
    assert not result.holds
    assert result.total.higher > 0


def test_an_interval_shrunk_by_rounding_alone_is_a_violation():
    # The labelings by sign have beta_star on the very end: one step inside is already too far.
    with_end = []
    for family in FAMILIES:
        population, _ = problems(family, 3 * len(KINDS), 0)
        upper = population.interval[1]
        with_end.append(population.risk_change(upper, np.nextafter(upper, -np.inf)))
    assert (np.concatenate(with_end) > 0).any()


def test_the_sign_of_the_change_is_that_of_the_difference_of_the_risks():
    for family in FAMILIES:
        population, before = problems(family, 3 * len(KINDS), 1)
        after = population.beta_semi(before)
        change = population.risk_change(before, after)
        difference = population.risk(after) - population.risk(before)
        np.testing.assert_allclose(
            change, difference, rtol=1e-9, atol=1e-12 * (1 + population.risk(before)).max()
        )


def test_every_family_has_its_share_of_the_problems():
    sizes = [row.problems for row in check_theorem(2 * len(FAMILIES) + 1).families]
    assert sizes == [3, *[2] * (len(FAMILIES) - 1)]


def test_there_are_one_to_fifty_labeled_rows():
    sizes = n_labeled(np.linspace(2.0**-54, 1 - 2.0**-53, 10_000))
    assert set(sizes) == set(range(1, 51))


def test_a_problem_depends_on_seed_family_and_number_only():
    _, some = problems("gamma", 100, 7)
    _, more = problems("gamma", 300, 7)
    np.testing.assert_array_equal(some, more[:100])
    assert (some != problems("normal", 100, 7)[1]).mean() > 0.5
    assert (some != problems("gamma", 100, 8)[1]).mean() > 0.5


def test_the_same_seed_gives_the_same_result_and_progress_is_told():
    told: list[int] = []
    first = check_theorem(180, seed=2, on_progress=told.append)
    assert told == list(range(10, 181, 10))
    assert first == check_theorem(180, seed=2)


def test_the_result_reads_as_words():
    text = str(check_theorem(500))
    assert "0 violations in 500 random problems from 18 families of distributions" in text


def test_no_problems_are_refused():
    with pytest.raises(ValueError, match="n_problems"):
        check_theorem(0)
