"""Geometry learned from all rows without any label: each view gives kernels between rows."""

from tacit.views._clusters import BaggedClusters, clusters_view
from tacit.views._components import ComponentScores, components_view
from tacit.views._embedding import EmbeddingView, Kernel
from tacit.views._graph import GraphView, Rescaled
from tacit.views._precomputed import PrecomputedView
from tacit.views._protocol import Reference, RowFunction, View
from tacit.views._ranks import AveragedRanks, ranks_view

__all__ = [
    "AveragedRanks",
    "BaggedClusters",
    "ComponentScores",
    "EmbeddingView",
    "GraphView",
    "Kernel",
    "PrecomputedView",
    "Reference",
    "Rescaled",
    "RowFunction",
    "View",
    "clusters_view",
    "components_view",
    "ranks_view",
]
