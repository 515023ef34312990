"""A stand-in for OpenML on this machine, with its protocol: three JSON documents and a file."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import numpy as np
import sklearn.datasets._openml as sklearn_openml


def arff(names, X, target, labels, classes, nominal=None):
    """An ARFF file with the target first, as SPECT has it."""
    lines = ["@RELATION data", f"@ATTRIBUTE {target} {{{','.join(classes)}}}"]
    for name in names:
        values = f"{{{','.join(nominal)}}}" if nominal else "NUMERIC"
        lines.append(f"@ATTRIBUTE '{name}' {values}")
    lines.append("@DATA")
    for row, label in zip(X, labels, strict=True):
        cells = [f"{int(v)}" if nominal else repr(float(v)) for v in row]
        lines.append(",".join([str(label), *cells]))
    return "\n".join(lines).encode()


class Server:
    """Documents by path, and the paths that were asked for."""

    def __init__(self, address):
        self.address = address
        self.documents = {}
        self.asked = []

    def add(self, data_id, X, labels, *, nominal=None, checksum=None):
        names = [f"V{k}" for k in range(1, X.shape[1] + 1)]
        classes = sorted({str(label) for label in labels})
        file = arff(names, X, "Class", labels, classes, nominal)
        description = {
            "id": str(data_id),
            "name": "data",
            "version": "1",
            "description": "A stand-in.",
            "format": "ARFF",
            "licence": "Public",
            "url": f"{self.address}/data/v1/download/{data_id}/data.arff",
            "file_id": str(data_id),
            "default_target_attribute": "Class",
            "status": "active",
            "md5_checksum": checksum or hashlib.md5(file).hexdigest(),
        }
        features = [self._feature(0, "Class", classes, is_target=True)]
        features += [self._feature(k, name, nominal) for k, name in enumerate(names, start=1)]
        quality = [{"name": "NumberOfInstances", "value": str(float(len(X)))}]
        for path, document in (
            (f"/api/v1/json/data/{data_id}", {"data_set_description": description}),
            (f"/api/v1/json/data/features/{data_id}", {"data_features": {"feature": features}}),
            (f"/api/v1/json/data/qualities/{data_id}", {"data_qualities": {"quality": quality}}),
        ):
            self.documents[path] = json.dumps(document).encode()
        # The first is asked for by older versions of scikit-learn.
        for path in (f"/data/v1/download/{data_id}", f"/data/v1/download/{data_id}/data.arff"):
            self.documents[path] = file

    @staticmethod
    def _feature(index, name, values, *, is_target=False):
        feature = {
            "index": str(index),
            "name": name,
            "data_type": "nominal" if values else "numeric",
            "is_target": str(is_target).lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        if values:
            feature["nominal_value"] = list(values)
        return feature


@contextmanager
def openml(monkeypatch):
    """Serve on a free port, and have scikit-learn ask there instead of at openml.org."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            server.asked.append(self.path)
            body = server.documents.get(self.path)
            # OpenML's own code for a dataset that it does not have.
            self.send_response(412 if body is None else 200)
            content = gzip.compress(body or b"{}")
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = Server(f"http://127.0.0.1:{http.server_port}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    point_at(monkeypatch, server.address)
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def point_at(monkeypatch, address):
    """Replace scikit-learn's own address of OpenML by another."""
    # No proxy may stand between the test and its own server.
    monkeypatch.setenv("no_proxy", "*")
    if hasattr(sklearn_openml, "_OPENML_PREFIX"):  # of older versions
        monkeypatch.setattr(sklearn_openml, "_OPENML_PREFIX", address + "/")
        return
    for name in ("_SEARCH_NAME", "_DATA_INFO", "_DATA_FEATURES", "_DATA_QUALITIES"):
        path = urlsplit(getattr(sklearn_openml, name)).path
        monkeypatch.setattr(sklearn_openml, name, address + path)


def table_like(entry, seed=0):
    """Random numbers with the shape and the class counts of a dataset."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(entry.n_rows, entry.n_features)).round(4)
    labels = np.repeat([known.label for known in entry.classes], [k.count for k in entry.classes])
    return X, random.permutation(labels)
