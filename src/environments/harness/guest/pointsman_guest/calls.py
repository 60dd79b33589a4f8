"""Sees calls of one function while a case runs, without putting anything in its place: identity, signature and
pickling stay.

From Python 3.12 on the interpreter reports entries of this one function only; before, a profile function looks at
every call and passes on those that matter.
"""

import dis
import functools
import inspect
import sys
import threading

from .describe import short_repr, type_text

_TOOL = 4
_OPNAMES = dis.opname


@functools.lru_cache(maxsize=None)
def _first_instruction(code):
    """Where a call of this code begins; what stands before it are preparations, from Python 3.11 on."""
    return next((one.offset for one in dis.get_instructions(code) if one.opname == "RESUME"), -1)


def parameters(code):
    """Names of parameters in the order in which they stand in a signature; `*rest` comes before what follows it."""
    positional, named = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    rest = 1 if code.co_flags & inspect.CO_VARARGS else 0
    others = 1 if code.co_flags & inspect.CO_VARKEYWORDS else 0
    names = code.co_varnames
    return (
        names[:positional]
        + names[named : named + rest]
        + names[positional:named]
        + names[named + rest : named + rest + others]
    )


class CallWatch:
    """Counts calls of the subject, and keeps what went in and came out of the first `keep` of them."""

    def __init__(self, subject, keep):
        self._subject = subject
        self._known = {}
        self._open = {}
        self._errors = {}
        self._tracing = False
        self._keep = keep
        self.count = 0
        self.seen = []

    def start(self):
        if hasattr(sys, "monitoring"):
            self._start_monitoring()
        else:
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)
            if self._keep and sys.gettrace() is None:
                # A profile function is told that a function was left, not which exception it was left with.
                sys.settrace(self._trace)
                self._tracing = True

    def stop(self):
        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(_TOOL, 0)
            sys.monitoring.free_tool_id(_TOOL)
        else:
            sys.setprofile(None)
            threading.setprofile(None)
            if self._tracing:
                sys.settrace(None)

    def _start_monitoring(self):
        monitoring, events = sys.monitoring, sys.monitoring.events
        monitoring.use_tool_id(_TOOL, "pointsman")
        monitoring.register_callback(_TOOL, events.PY_START, self._started)
        monitoring.register_callback(_TOOL, events.PY_RETURN, self._returned)
        monitoring.register_callback(_TOOL, events.PY_UNWIND, self._unwound)
        kept = events.PY_RETURN | events.PY_UNWIND if self._keep else 0
        monitoring.set_events(_TOOL, events.PY_START | kept)

    def _matches(self, code):
        known = self._known.get(code)
        if known is None:
            known = self._known[code] = self._subject.owns(code)
        return known

    def _started(self, code, _offset):
        if not self._matches(code):
            return sys.monitoring.DISABLE
        self._enter(sys._getframe(1))
        return None

    def _returned(self, code, _offset, value):
        if not self._matches(code):
            return sys.monitoring.DISABLE
        self._leave(sys._getframe(1), value, None)
        return None

    def _unwound(self, code, _offset, error):
        if self._matches(code):
            self._leave(sys._getframe(1), None, error)

    def _profile(self, frame, event, value):
        if event == "call":
            # A generator is entered again for each value that it gives.
            if self._matches(frame.f_code) and frame.f_lasti <= _first_instruction(frame.f_code):
                self._enter(frame)
        elif event == "return" and frame in self._open:
            if _OPNAMES[frame.f_code.co_code[frame.f_lasti]] in ("RETURN_VALUE", "YIELD_VALUE"):
                self._leave(frame, value, None)
            else:
                self._leave(frame, None, self._errors.pop(frame, Exception()))

    def _trace(self, frame, event, _value):
        if event != "call" or not self._matches(frame.f_code):
            return None
        frame.f_trace_lines = False
        return self._trace_errors

    def _trace_errors(self, frame, event, value):
        if event == "exception":
            self._errors[frame] = value[1]
        return self._trace_errors

    def _enter(self, frame):
        self.count += 1
        if len(self.seen) >= self._keep:
            return
        values = frame.f_locals
        call = {
            "arguments": [
                {"name": name, "type": type_text(values[name]), "repr": short_repr(values[name])}
                for name in parameters(frame.f_code)
                if name in values
            ],
            "returned": None,
            "raised": None,
        }
        self.seen.append(call)
        self._open[frame] = call

    def _leave(self, frame, value, error):
        call = self._open.pop(frame, None)
        if call is None:
            return
        if error is not None:
            call["raised"] = type_text(error)
        else:
            call["returned"] = {"type": type_text(value), "repr": short_repr(value)}
