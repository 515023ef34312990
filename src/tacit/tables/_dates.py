"""Dates and times of day that are written as text."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

from tacit.tables._packages import import_pandas

READABLE = 0.95
# Year, month and day with signs between them, or the name of a month: what no number, code or
# version looks like.
LOOKS_LIKE_DATE = re.compile(
    r"^\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    r"|\d{1,2}[ -](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]\d{2,4}"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2},? \d{4})",
    re.IGNORECASE,
)
ISO = "ISO8601"
# How a column of times of day is marked, which is one of numbers: seconds since midnight.
TIME = "time of day"
LOOKS_LIKE_TIME = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"


@dataclass(frozen=True)
class DateFormat:
    """How the dates of a column are written.

    Attributes
    ----------
    format : str
        For pandas.to_datetime.
    note : str
        What was guessed, or nothing.
    """

    format: str
    note: str = ""


def date_format(texts: Any) -> DateFormat | None:
    """The format of a column of dates; None where they are no dates."""
    looks = texts.str.match(LOOKS_LIKE_DATE.pattern, flags=re.IGNORECASE)
    if len(texts) == 0 or float(looks.mean()) < READABLE:
        return None
    dates = texts[looks]
    candidates = [ISO, *_guesses(dates)]
    readable = {form: float(parse_dates(dates, form).notna().mean()) for form in candidates}
    best = max(candidates, key=readable.__getitem__)
    if readable[best] < READABLE:
        return None
    rival = [form for form in candidates if form != best and readable[form] == readable[best]]
    if best != ISO and rival and _is_day_first(best) != _is_day_first(rival[0]):
        order = "day" if _is_day_first(best) else "month"
        return DateFormat(
            best, f"dates were read with the {order} first, which the data leaves open"
        )
    return DateFormat(best)


def parse_dates(texts: Any, form: str) -> Any:
    """Dates without time zone; missing where a text is no date of this format."""
    pandas = import_pandas()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dates = pandas.to_datetime(texts, format=form, errors="coerce", utc=True)
    return dates.dt.tz_localize(None)


def looks_like_times(texts: Any) -> bool:
    """Whether texts are times of day, such as 13:45 or 13:45:30."""
    return len(texts) > 0 and float(texts.str.fullmatch(LOOKS_LIKE_TIME).mean()) >= READABLE


def seconds_since_midnight(texts: Any) -> Any:
    """Times of day as numbers; missing where a text is none."""
    pandas = import_pandas()
    times = texts.where(texts.str.fullmatch(LOOKS_LIKE_TIME))
    # What has no seconds is a time of day, too.
    whole = times.where(times.str.count(":") != 1, times + ":00")
    return pandas.to_timedelta(whole.astype(object), errors="coerce").dt.total_seconds()


def _guesses(dates: Any) -> list[str]:
    from pandas.tseries.api import guess_datetime_format

    guesses: dict[str, None] = {}
    for text in dates.iloc[:: max(1, len(dates) // 20)]:
        for day_first in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                guess = guess_datetime_format(text, dayfirst=day_first)
            if guess is not None:
                guesses[guess] = None
    return list(guesses)


def _is_day_first(form: str) -> bool:
    day, month = form.find("%d"), form.find("%m")
    return 0 <= day < month
