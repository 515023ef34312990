"""OpenML, through scikit-learn."""

from __future__ import annotations

import http.client
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import fetch_openml

from tacit._typing import Matrix
from tacit.research.datasets._entry import Entry, OpenML
from tacit.research.datasets.sources._protocol import Absence, Copy, SourceError, Table

WEB = "https://www.openml.org/d"
# Without a limit, a network that swallows requests would keep a caller waiting for minutes.
SECONDS = 30.0


class OpenMLServer:
    """Downloads by pinned id, so that a new version at OpenML changes nothing here."""

    def find(self, entry: Entry) -> Copy | Absence:
        """Say whether a version at OpenML is known, without asking it."""
        if entry.openml is None:
            return Absence("no version at OpenML is known to be the same data")
        label = f"OpenML {entry.openml.data_id}"
        where = f"OpenML data id {entry.openml.data_id}, {WEB}/{entry.openml.data_id}."
        return Copy(label, where, partial(_fetch, entry.openml), is_download=True)


def _fetch(openml: OpenML) -> Table:
    try:
        with _patience(SECONDS), warnings.catch_warnings():
            # Retries and a new version at OpenML are told as warnings; what counts is the result.
            warnings.simplefilter("ignore")
            bunch = fetch_openml(
                data_id=openml.data_id,
                as_frame=False,
                parser="liac-arff",
                # Tacit keeps its own, smaller copy, after checking it.
                cache=False,
                n_retries=1,
                delay=0.5,
            )
        X = _decoded(bunch)
    except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
        raise SourceError(
            f"OpenML data id {openml.data_id} could not be fetched ({error}): check the network "
            "and try again"
        ) from error
    labels = np.array([openml.spellings.get(str(text), text) for text in bunch.target])
    return Table(X, labels)


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """Let no connection wait longer; scikit-learn has no parameter for it."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _decoded(bunch: Any) -> Matrix:
    """Numbers as published: scikit-learn gives a nominal column as positions of its values."""
    X = np.array(bunch.data, dtype=np.float64)
    for position, name in enumerate(bunch.feature_names):
        values = bunch.categories.get(name) if bunch.categories else None
        if values is not None:
            numbers = np.array([float(value) for value in values])
            X[:, position] = numbers[X[:, position].astype(np.intp)]
    return X
