"""A page as `compare` would write it, with numbers of the size that real tables give."""

from __future__ import annotations

import struct
import zlib

from tacit.report import (
    Cell,
    Code,
    Column,
    Curves,
    Difference,
    Differences,
    Figure,
    Finding,
    Findings,
    KeyValues,
    Page,
    Rate,
    Rates,
    Section,
    Series,
    Styled,
    Table,
    Text,
    Verdict,
)

UNLABELED = (0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4940)
LABELS = (10, 20, 30, 40, 50, 60)

UNLABELED_CURVES = Curves(
    "Unlabeled rows",
    "Wrong answers in 100",
    UNLABELED,
    (
        Series(
            "ICLS",
            (20.1, 19.6, 18.9, 17.8, 16.6, 15.4, 14.6, 13.9, 13.4, 13.1),
            (16.9, 16.5, 15.9, 14.9, 13.9, 12.9, 12.1, 11.5, 11.1, 10.8),
            (23.3, 22.7, 21.9, 20.7, 19.3, 17.9, 17.1, 16.3, 15.7, 15.4),
        ),
        Series("supervised least squares", (20.1,) * 10, (16.9,) * 10, (23.3,) * 10),
        Series(
            "self-learning",
            (20.1, 20.3, 20.8, 21.0, 21.7, 22.4, 22.6, 23.1, 23.3, 23.6),
            (16.9, 17.0, 17.3, 17.4, 17.9, 18.4, 18.5, 18.8, 18.9, 19.1),
            (23.3, 23.6, 24.3, 24.6, 25.5, 26.4, 26.7, 27.4, 27.7, 28.1),
        ),
    ),
    log_x=True,
    caption="What more unlabeled rows do, with the 60 labels there are",
    note="Shaded: where the average would lie in 95 of 100 repetitions.",
)

LABEL_CURVES = Curves(
    "Labels",
    "Wrong answers in 100",
    LABELS,
    (
        Series("ICLS", (24.8, 19.5, 16.9, 15.1, 14.0, 13.1)),
        Series("supervised least squares", (38.7, 31.2, 26.9, 23.8, 21.6, 20.1)),
    ),
    caption="What more labels would buy",
)

DIFFERENCES = Differences(
    (
        Difference("ICLS", -7.0, -11.9, -2.1, "against supervised least squares", words="helps"),
        Difference(
            "Projected least squares", -4.4, -7.6, -1.2, "against supervised least squares",
            words="helps",
        ),
        Difference("Ridge ICLS", -0.4, -0.9, 0.1, "against tuned ridge", words="no difference"),
        Difference("Label spreading", -1.9, -8.0, 4.2, "against tuned ridge", words="not clear"),
        Difference(
            "Self-learning", 3.5, 0.6, 6.4, "against supervised least squares", words="may hurt"
        ),
    ),
    unit="wrong answers in 100",
    caption="Each method with the unlabeled rows, against the same method without them",
    note="The line through each mark is the 95% interval: where it crosses zero, the data cannot "
    "tell better from worse. Shaded: differences of at most 1 in 100, which count as none.",
    margin=1.0,
    digits=1,
)  # fmt: skip

TABLE = Table(
    (
        "Method",
        Column("Wrong answers", ".1f", "in 100"),
        Column("Difference", "", "from its twin"),
        Column("p", ".3f", "adjusted"),
        Column("Different answers", "", "of the unlabeled rows"),
        "Verdict",
    ),
    (
        ("ICLS", Cell(13.1, bold=True), Cell("−7.0", "−11.9 to −2.1"), 0.004, "12.0%", "helps"),
        ("Projected least squares", 15.7, Cell("−4.4", "−7.6 to −1.2"), 0.006, "9.1%", "helps"),
        ("Ridge ICLS", 14.3, Cell("−0.4", "−0.9 to +0.1"), 0.061, "1.2%", "makes no difference"),
        ("Label spreading", 12.8, Cell("−1.9", "−8.0 to +4.2"), 0.27, "14%", "too few labels"),
        (
            "Self-learning",
            Cell(23.6, underline=True),
            Cell("+3.5", "+0.6 to +6.4"),
            0.99,
            "10.4%",
            "may hurt",
        ),
        ("supervised least squares", 20.1, None, None, None, "without unlabeled rows"),
        ("tuned ridge", 14.7, None, None, None, "without unlabeled rows"),
        ("tuned logistic regression", 100.0, None, None, None, "without unlabeled rows"),
    ),
    caption="Every method, over 50 splits",
    note="Bold: the method to use. Underlined: worse than without the unlabeled rows.",
)


def picture(width: int = 320, height: int = 120) -> bytes:
    """A small PNG of a slope."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    rows = b"".join(
        b"\0" + bytes(60 if y * width > x * height else 235 for x in range(width))
        for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def sample_page() -> Page:
    return Page(
        "Is the unlabeled part of churn.csv worth using?",
        lead=(
            Verdict(
                "good",
                "The unlabeled rows help: with ICLS, about 13 in 100 answers are wrong instead of "
                "20 in 100.",
                "Use ICLS, but not self-learning, which may hurt.",
                label="helps",
                rates=Rates(
                    (Rate("With the unlabeled rows", 0.131), Rate("Without them", 0.201)),
                    caption="Each dot is one answer out of a hundred; filled ones are wrong.",
                ),
            ),
        ),
        subtitle="60 labeled and 4,940 unlabeled rows, target column “churned”. 4 March 2025",
        sections=(
            Section("The picture", (DIFFERENCES,)),
            Section(
                "The numbers",
                (
                    TABLE,
                    Text(
                        (
                            "Without the unlabeled rows, tuned ridge does best: error 14.7%.",
                            "Chance alone would do as well as ICLS with probability 0.004.",
                            "Test: corrected resampled t-test (Nadeau & Bengio 2003), Holm.",
                        ),
                        style="points",
                    ),
                ),
            ),
            Section(
                "What is certain",
                (
                    Text("These hold whatever the true labels of the unlabeled rows are.", "lead"),
                    Findings(
                        (
                            Finding(
                                "The squared loss on all 5,000 rows drops by at least 0.012.",
                                "good",
                                "guaranteed",
                                "Projected least squares: from 0.171 to at most 0.159.",
                            ),
                            Finding(
                                "ICLS may raise or lower the squared loss on these rows.",
                                "unknown",
                                "depends on the labels",
                                "Between 0.041 lower and 0.008 higher.",
                            ),
                            Finding("Self-learning has no guarantee.", "bad", "not safe"),
                            Finding("No fit stopped early.", "neutral", "checked"),
                        )
                    ),
                    Text("Squared loss on these rows is not the error on new rows.", "note"),
                ),
            ),
            Section("More rows, more labels", (UNLABELED_CURVES, LABEL_CURVES)),
            Section(
                "What was done to the data",
                (
                    KeyValues(
                        (
                            ("Numbers", "12 columns: missing values by the median, then scaled"),
                            ("Categories", ("5 columns one by one, ", Styled("city"), " hashed")),
                            ("Left out", "customer_id, which is different in every row"),
                            ("Unlabeled", "blank or NA in the column churned"),
                        )
                    ),
                    Figure(picture(), "A slope from dark to light.", "Rows by date."),
                ),
            ),
            Section(
                "How to repeat this",
                (
                    Code(
                        "tacit compare churn.csv --target churned --n-repeats 10 --seed 1 "
                        "--report churn-report.html",
                        "In the terminal",
                    ),
                    Code(
                        "import pandas\nimport tacit\n\ntable = pandas.read_csv('churn.csv')\n"
                        "comparison = tacit.selection.compare(\n"
                        "    table.drop(columns='churned'), table['churned'], n_repeats=10\n)",
                        "In Python",
                    ),
                ),
            ),
            Section(
                "Versions",
                (KeyValues((("Python", "3.12.4"), ("scikit-learn", "1.7.0"))),),
                collapsed=True,
            ),
        ),
        footer="Made by Tacit 0.1. Nothing on this page comes from the network.",
    )
