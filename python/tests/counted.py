# SPDX-License-Identifier: Apache-2.0
"""Arrow streams that count what is taken from them and what is given back."""

from __future__ import annotations

import ctypes
from typing import Any

P = ctypes.POINTER


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


SchemaRelease = ctypes.CFUNCTYPE(None, P(Schema))
ArrayRelease = ctypes.CFUNCTYPE(None, P(Array))
StreamRelease = ctypes.CFUNCTYPE(None, P(Stream))
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Array))
GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, P(Stream))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                   ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
                   ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
                   ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                  ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.c_void_p),
                  ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
                  ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", GetSchema), ("get_next", GetNext), ("get_last_error", GetError),
                   ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]

capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Counted:
    """A stream of pyarrow whose releases are counted; `fails_at` fails at that batch."""

    def __init__(self, reader: Any, fails_at: int = -1) -> None:
        self.taken = {"schema": 0, "array": 0, "stream": 1}
        self.released = {"schema": 0, "array": 0, "stream": 0}
        self.inner = Stream()
        reader._export_to_c(ctypes.addressof(self.inner))
        self.inner_release = self.inner.release
        self.originals: dict[int, int] = {}
        self.fails_at = fails_at
        self.batches = 0
        self.message = ctypes.create_string_buffer(b"the disk is gone")
        self.keep = (SchemaRelease(self.schema_release), ArrayRelease(self.array_release),
                     StreamRelease(self.stream_release))
        self.outer = Stream(GetSchema(self.get_schema), GetNext(self.get_next),
                            GetError(self.get_error),
                            ctypes.cast(self.keep[2], ctypes.c_void_p).value, 1)

    def wrap(self, kind: str, struct: Any, release: Any) -> None:
        if struct.contents.release:
            self.taken[kind] += 1
            self.originals[struct.contents.private_data] = struct.contents.release
            struct.contents.release = ctypes.cast(release, ctypes.c_void_p).value

    def unwrap(self, kind: str, struct: Any, prototype: Any) -> None:
        self.released[kind] += 1
        original = self.originals.pop(struct.contents.private_data)
        struct.contents.release = original
        prototype(original)(struct)

    def get_schema(self, _: Any, out: Any) -> int:
        status: int = self.inner.get_schema(ctypes.byref(self.inner), out)
        self.wrap("schema", out, self.keep[0])
        return status

    def get_next(self, _: Any, out: Any) -> int:
        if self.batches == self.fails_at:
            return 5
        self.batches += 1
        status: int = self.inner.get_next(ctypes.byref(self.inner), out)
        self.wrap("array", out, self.keep[1])
        return status

    def get_error(self, _: Any) -> int:
        return ctypes.addressof(self.message)

    def schema_release(self, struct: Any) -> None:
        self.unwrap("schema", struct, SchemaRelease)

    def array_release(self, struct: Any) -> None:
        self.unwrap("array", struct, ArrayRelease)

    def stream_release(self, struct: Any) -> None:
        self.released["stream"] += 1
        struct.contents.release = None
        StreamRelease(self.inner_release)(ctypes.byref(self.inner))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule_new(ctypes.addressof(self.outer), b"arrow_array_stream", None)

    def all_is_released(self) -> bool:
        return self.taken == self.released and not self.originals
