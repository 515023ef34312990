"""
Text: sparse all the way
========================

Short messages to a help desk, a few of which have been sorted into two classes. TF-IDF makes a
sparse matrix of them, and it stays sparse; only a matrix of words times words must fit into memory.
"""

# %%
# The messages are made up, so that the truth is known: a few words of the topic, fewer of the
# other topic, and many that mean nothing.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from tacit import ICLSClassifier, LeastSquaresClassifier
from tacit.family import EMNaiveBayesClassifier

BILLING = ["bill", "invoice", "charge", "refund", "price", "payment", "euro", "discount"]
NETWORK = ["line", "router", "signal", "cable", "outage", "modem", "wifi", "speed"]
SYLLABLES = [a + b for a in "bdfglmnprst" for b in "aeiou"]
COMMON = [a + b for a in SYLLABLES[:20] for b in SYLLABLES[20:35]]
N_MESSAGES = 1200
random = np.random.default_rng(0)
truth = np.arange(N_MESSAGES) % 2
frequency = 1.0 / np.arange(5, 5 + len(COMMON))


def message(topic):
    """Some words of the topic and of the other one, among many that mean nothing."""
    own, other = (NETWORK, BILLING) if topic else (BILLING, NETWORK)
    words = [
        *random.choice(own, random.poisson(2.5)),
        *random.choice(other, random.poisson(0.5)),
        *random.choice(COMMON, 12, p=frequency / frequency.sum()),
    ]
    return " ".join(words)


messages = [message(topic) for topic in truth]
print(messages[0])
counts = CountVectorizer(min_df=3).fit_transform(messages)
weights = TfidfTransformer().fit_transform(counts)
print(f"{weights.shape[0]} messages, {weights.shape[1]} words, {weights.nnz} numbers not zero")

# %%
# Each method beside its twin, for 20 to 320 labels; everything else is unlabeled. Naive Bayes
# looks at counts, and expectation maximisation assumes that words are independent within a class,
# which is how these messages were made.

PAIRS = {
    "least squares": (LeastSquaresClassifier(), ICLSClassifier(), weights),
    "ridge": (LeastSquaresClassifier("loo"), ICLSClassifier("loo"), weights),
    "naive Bayes": (EMNaiveBayesClassifier(), EMNaiveBayesClassifier(), counts),
}
SIZES, N_DRAWS = [20, 40, 80, 160, 320], 2
wrong = {name: np.zeros((2, N_DRAWS, len(SIZES))) for name in PAIRS}
for draw in range(N_DRAWS):
    order = np.random.default_rng(draw).permutation(N_MESSAGES)
    for k, size in enumerate(SIZES):
        labeled, rest = order[:size], order[size:]
        for name, (twin, method, X) in PAIRS.items():
            twin.fit(X[labeled], truth[labeled])
            method.fit(X[labeled], truth[labeled], X_unlabeled=X[rest])
            for row, model in enumerate((twin, method)):
                wrong[name][row, draw, k] = np.mean(model.predict(X[rest]) != truth[rest])

# %%
# The mean over two draws.

figure, panels = plt.subplots(1, 3, figsize=(10, 3.8), sharey=True, layout="constrained")
for axes, (name, values) in zip(panels, wrong.items(), strict=True):
    errors = 100 * values.mean(axis=1)
    axes.plot(SIZES, errors[0], "--", marker="o", color="black", linewidth=3, label="labels only")
    axes.plot(SIZES, errors[1], "-", marker="o", color="#0072B2", label="with unlabeled messages")
    axes.set_xscale("log", base=2)
    axes.set_xticks(SIZES, SIZES)
    axes.set_title(f"{name} and {'EM' if name == 'naive Bayes' else 'ICLS'}")
    axes.set_xlabel("labeled messages")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("error on the other messages, in %")
panels[0].legend(frameon=False)
plt.show()

# %%
# Least squares without a penalty is at its worst with as many labels as words; there ICLS helps,
# and with fewer labels it can do harm. A tuned penalty is the better cure, and then ICLS finds
# nothing to correct. Expectation maximisation helps most, because here its assumption is true:
# :doc:`/guide/choosing` has problems where it is not.
