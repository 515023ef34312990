"""The names of the datasets."""

import pytest

from tacit.research.datasets import PAPER, available, load, names
from tacit.research.datasets._registry import find_known


def test_the_paper_has_twelve_datasets_in_the_order_of_its_first_table():
    assert (
        *("Ionosphere", "Parkinsons", "Diabetes", "Sonar", "SPECT", "SPECTF", "WDBC"),
        *("Digit1", "USPS", "COIL2", "BCI", "g241d"),
    ) == PAPER
    assert names() == (*PAPER, "g241c", "COIL", "Text")


@pytest.mark.parametrize("spelling", ["IONOSPHERE", "ionosphere", " Ionosphere "])
def test_the_case_of_a_name_does_not_matter(spelling):
    assert available(spelling).name == "Ionosphere"


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("Ionosfere", "Ionosphere"), ("g241", "g241d"), ("Parkinson", "Parkinsons")],
)
def test_a_wrong_name_is_an_error_with_the_names_near_it(wrong, meant):
    with pytest.raises(ValueError, match=rf"{wrong}.*did you mean .*{meant}.*\? Known are Iono"):
        load(wrong)


def test_a_name_like_no_other_is_an_error_that_lists_all():
    with pytest.raises(ValueError, match=r"'zzz'.*knows\. Known are Ionosphere, .*, Text\."):
        load("zzz")


def test_a_name_that_is_no_text_is_an_error():
    with pytest.raises(ValueError, match="name was 3, which is not a dataset"):
        load(3)


@pytest.mark.parametrize("name", names())
def test_the_facts_of_an_entry_fit_together(name):
    entry = find_known(name)
    labels = [each.label for each in entry.classes]
    assert labels == sorted(labels)
    assert -1 not in labels  # the mark of rows without label
    assert len(set(entry.feature_names)) == entry.n_features
    assert set(entry.spellings.values()) <= set(labels)
    assert set(entry.zero_is_missing) <= set(entry.feature_names)
    assert entry.licence
    assert entry.citation
    assert entry.package is not None or entry.openml is not None
