"""Processes that are under nobody's influence but ours, and pipes between them."""

import ctypes
import fcntl
import os
import select
import signal
import struct
import time

_SET_DEATH_SIGNAL = 1
_SET_DUMPABLE = 4
_SET_CHILD_SUBREAPER = 36
_HIGH = 900
_LENGTH = struct.Struct("!Q")
LARGEST = 64 * 1024 * 1024


def adopt_orphans():
    """Makes what our descendants leave behind our own children, so that it can be ended. Linux only, else nothing."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent():
    """Lets the kernel end this process when the one that made it ends. Linux only, else nothing."""
    _prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def hide(hidden):
    """Keeps other processes of the same user from our memory and descriptors."""
    _prctl(_SET_DUMPABLE, 0 if hidden else 1)


def _prctl(option, value):
    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def pipe():
    """A pipe on high descriptors: code that tries the usual numbers does not come upon it."""
    return tuple(_move_high(end) for end in os.pipe())


def _move_high(descriptor):
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(descriptor)
    return moved


def send(descriptor, data):
    """Writes one frame: its length, then its bytes."""
    data = _LENGTH.pack(len(data)) + data
    while data:
        data = data[os.write(descriptor, data) :]


class Reader:
    """Frames out of a pipe, each within a time."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._data = bytearray()

    def frame(self, seconds):
        """The next frame. None where the other side is gone or sent nonsense; TimeoutError where it takes too long."""
        until = time.monotonic() + seconds
        while True:
            length = _LENGTH.unpack_from(self._data)[0] if len(self._data) >= _LENGTH.size else None
            if length is not None and length > LARGEST:
                return None
            if length is not None and len(self._data) >= _LENGTH.size + length:
                frame = bytes(self._data[_LENGTH.size : _LENGTH.size + length])
                del self._data[: _LENGTH.size + length]
                return frame
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._descriptor], [], [], left)[0]:
                raise TimeoutError
            chunk = os.read(self._descriptor, 1 << 20)
            if not chunk:
                return None
            self._data += chunk


def quiet():
    """Lets the standard streams of this process lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def end(child, spare=()):
    """Kills a child that leads a group, and all that came from it but those to `spare`; its wait status."""
    _kill_group(child)
    try:
        status = os.waitpid(child, 0)[1]
    except ChildProcessError:
        status = 0
    # What left the group was handed to us when its parent ended. It may fork while we look: until there is none.
    for _ in range(100):
        _kill_group(child)
        left = [one for one in _children() if one not in spare]
        if not left:
            break
        for one in left:
            _kill(one)
        for one in left:
            try:
                os.waitpid(one, 0)
            except ChildProcessError:
                pass
    return status


def _kill_group(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    _kill(leader)


def _kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _children():
    """Processes whose parent we are, by what the kernel says."""
    ours = str(os.getpid())
    found = []
    try:
        listed = os.listdir("/proc")
    except OSError:
        return found
    for name in listed:
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == ours:
                found.append(int(name))
    return found
