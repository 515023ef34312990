"""
Theorem 1 with a distribution of your own
=========================================

With one feature, no intercept and unlimited unlabeled data, the implicitly constrained classifier
is never worse than the supervised one on the true risk: whatever the distribution, the labels,
and the sample. ``tacit.research.paper.Population`` makes the theorem a thing to play with;
any distribution of SciPy will do.
"""

# %%
# A skewed feature, and a class that becomes likelier and then unlikely again: nothing that a line
# could fit.

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from tacit.research.paper import Population, least_squares

population = Population(
    feature=stats.gamma(2, loc=-1.5),
    probability=lambda x: 0.1 + 0.8 * np.exp(-((x - 0.5) ** 2)),
)
lower, upper = population.interval
print(f"Some labeling leads to each coefficient from {lower:.3f} to {upper:.3f}.")
print(f"The best one, {population.beta_star:.3f}, is among them.")

# %%
# Draw four labeled rows, again and again. A supervised coefficient outside the interval cannot be
# the least-squares fit of any labels, so it is moved to the nearest end.

random = np.random.default_rng(0)
samples = [population.sample(4, random) for _ in range(400)]
beta_sup = np.array([float(least_squares(x, y)) for x, y in samples])
beta_semi = np.array([population.beta_semi(beta) for beta in beta_sup])
change = np.array(
    [
        population.risk_change(before, after)
        for before, after in zip(beta_sup, beta_semi, strict=True)
    ]
)
moved = beta_sup != beta_semi
print(
    f"{moved.sum()} of {len(moved)} coefficients were moved; the risk rose in {(change > 0).sum()}."
)

# %%
# On the left the risk as a function of the coefficient, with the interval in grey and the path of
# some samples; on the right every sample. Points on the diagonal were left as they were.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
beta = np.linspace(min(-0.9, 1.2 * lower), 1.6, 300)
left.axvspan(lower, upper, color="#e3e8ee", linewidth=0)
left.plot(beta, population.risk(beta), color="black")
shown = np.flatnonzero(moved & (beta_sup < 1.5) & (beta_sup > beta[0]))[:12]
for k in shown:
    before, after = beta_sup[k], beta_semi[k]
    left.plot(before, population.risk(before), "o", color="#D55E00")
    left.annotate(
        "",
        (after, population.risk(after)),
        (before, population.risk(before)),
        arrowprops={"arrowstyle": "->", "color": "#D55E00", "alpha": 0.6},
    )
left.plot(population.beta_star, population.risk(population.beta_star), "*", color="#0072B2",
          markersize=13)  # fmt: skip
left.set_xlabel("coefficient")
left.set_ylabel("true risk")
left.set_title("grey: what some labeling leads to; star: the best")

risks = population.risk(beta_sup), population.risk(beta_semi)
limits = np.array([0.97 * min(risks[1]), 1.4 * max(risks[1])])
right.plot(limits, limits, color="#888888", linewidth=1)
right.scatter(*risks, s=16, alpha=0.5, color=np.where(moved, "#0072B2", "#888888"), linewidth=0)
right.set_xlim(limits[0], np.quantile(risks[0], 0.97))
right.set_ylim(limits)
right.set_xlabel("risk of the supervised classifier")
right.set_ylabel("risk of the semi-supervised one")
right.set_title("never above the diagonal")
plt.show()

# %%
# The theorem is about one feature and a known distribution of it. With more features ICLS has no
# such proof, and :doc:`/theory/theorem1` says what takes its place.
