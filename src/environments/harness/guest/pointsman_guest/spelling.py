"""Values that have one spelling: dates, numbers of the standard library, paths, patterns, enum members."""

import datetime
import decimal
import enum
import fractions
import ipaddress
import logging
import pathlib
import re
import uuid

from .names import class_name, inherits

_BASIC = (int, str, float, bool, type(None))


def _date_time(value):
    naive = datetime.datetime.replace(value, tzinfo=None)
    return datetime.datetime.isoformat(naive) + (" fold" if value.fold else "") + _zone(value)


def _time(value):
    naive = datetime.time.replace(value, tzinfo=None)
    return datetime.time.isoformat(naive) + (" fold" if value.fold else "") + _zone(value)


def _zone(value):
    if value.tzinfo is None:
        return ""
    return " %s %s" % (value.utcoffset(), value.tzname())


def _member(value):
    name = object.__getattribute__(value, "_name_")
    return name if type(name) is str else repr(object.__getattribute__(value, "_value_"))


def _slice(value):
    if all(type(part) in _BASIC for part in (value.start, value.stop, value.step)):
        return repr(value)
    return None


#: From special to general; a spelling of None means: look at the value in another way.
_SPELLINGS = (
    (enum.Enum, _member),
    (datetime.datetime, _date_time),
    (datetime.date, datetime.date.isoformat),
    (datetime.time, _time),
    (datetime.timedelta, lambda v: "%d days %d s %d us" % (v.days, v.seconds, v.microseconds)),
    (datetime.timezone, lambda v: datetime.timezone.tzname(v, None)),
    (decimal.Decimal, decimal.Decimal.__str__),
    (fractions.Fraction, lambda v: "%d/%d" % (v.numerator, v.denominator)),
    (pathlib.PurePath, lambda v: type(v).__str__(v)),
    (uuid.UUID, uuid.UUID.__str__),
    (ipaddress._IPAddressBase, lambda v: type(v).__str__(v)),
    (type(re.compile("")), lambda v: "%r %d" % (v.pattern, v.flags)),
    (range, range.__repr__),
    (slice, _slice),
    (logging.Logger, lambda v: v.name),
)


def spelled(value):
    """`(type name, spelling)`, or None where the value has none."""
    for base, spell in _SPELLINGS:
        if inherits(type(value), base):
            try:
                text = spell(value)
            except Exception:
                return None
            return (class_name(type(value)), text) if type(text) is str else None
    return None
