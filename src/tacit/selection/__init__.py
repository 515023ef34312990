"""Splitters that know which rows can be tested on."""

from tacit.selection.splitters import LabeledKFold, LabeledStratifiedShuffleSplit

__all__ = ["LabeledKFold", "LabeledStratifiedShuffleSplit"]
