"""
Is my unlabeled data worth using?
=================================

A table of machines: numbers, a category, gaps, and 100 rows that somebody has looked at. The
question is not how to fit a method, but whether the other 900 rows are worth the trouble.
:func:`tacit.selection.compare` answers it from the labels alone.
"""

# %%
# The table. Sixty sensors follow what the machine is doing, which says nothing about faults; a
# fault shows in a faint combination of them. This is where unlabeled rows can help: they tell
# what the machines usually do.

import textwrap

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tacit.selection import compare, default_contestants

N_ROWS, N_LABELS, N_SENSORS = 1000, 100, 60
random = np.random.default_rng(2)
fault = random.random(N_ROWS) < 0.4
directions, _ = np.linalg.qr(random.normal(size=(N_SENSORS, N_SENSORS)))
activity = 6 * random.normal(size=(N_ROWS, N_SENSORS - 5)) @ directions[:, 5:].T
readings = random.normal(size=(N_ROWS, N_SENSORS)) + activity
readings += 2 * np.outer(np.where(fault, 1, -1), directions[:, 0])

sensors = [f"sensor {k}" for k in range(N_SENSORS)]
table = pd.DataFrame(readings, columns=sensors)
table = table.mask(random.random(table.shape) < 0.005)
table["site"] = random.choice(["Aarhus", "Delft", "Porto"], N_ROWS)
state = pd.Series(np.where(fault, "fault", "fine"), dtype=object)
state[N_LABELS:] = None  # nobody has looked at these
print(table.iloc[:3, [0, 1, 2, -1]].round(1).assign(state=state))

# %%
# The preprocessing is the user's. It is put before each of the usual contestants: ridge and
# logistic regression with tuned penalties, and three semi-supervised methods beside their twin.

features = make_column_transformer(
    (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), sensors),
    (OneHotEncoder(), ["site"]),
)
comparison = compare(table, state, default_contestants(features), n_repeats=2)
print(textwrap.fill(comparison.verdict.sentence, 84))
for reason in comparison.verdict.evidence:
    print(textwrap.fill(reason, 84, initial_indent="- ", subsequent_indent="  "))

# %%
# The picture says the same. Each dot is a method against its twin on the same splits; left of the
# line the unlabeled rows help.

figure = comparison.plot()

# %%
# The hidden labels are known here, so the verdict can be checked. From 100 labels the size of a
# gain is hard to tell, as the interval shows; that there is one is not.

chosen = comparison.recommended
for contestant in comparison.contestants:
    if contestant.name in (chosen, "ridge"):
        labels = np.where(state.isna(), -1, state == "fault").astype(int)
        known = labels >= 0
        if contestant.is_semi_supervised:
            model = contestant.estimator.fit(table, labels)
        else:
            model = contestant.estimator.fit(table[known], labels[known])
        wrong = np.mean(model.predict(table[~known]) != fault[~known])
        print(f"{contestant.name}: {wrong:.1%} wrong on the rows that nobody has looked at")
