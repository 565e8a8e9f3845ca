"""The public headers in include/swathe in ctypes: structs, functions and a small Library.

check_layout() compiles a C program that prints every size and offset, so that a difference from the
header is found.
"""
import ctypes
import glob
import os
import subprocess
import tempfile
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t
from ctypes import c_uint64, c_void_p

import numpy

OK, ERROR_ARGUMENT = 0, 2
TYPES = {"u8": 1, "u16": 2, "s16": 3, "f32": 4, "u32": 5, "s32": 6, "f64": 7}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
DTYPES = {"u8": numpy.uint8, "u16": numpy.uint16, "s16": numpy.int16, "f32": numpy.float32,
          "u32": numpy.uint32, "s32": numpy.int32, "f64": numpy.float64}
BORDERS = {"reflect": 1, "reflect101": 2, "replicate": 3, "wrap": 4, "zero": 5, "constant": 6,
           "missing": 7, "valid": 8}
ALPHAS = {"premultiply": 1, "keep": 2, "filter": 3}
LIGHTS = {"keep": 1, "linear": 2, "srgb": 3}
VALUES = {"keep": 1, "scale": 2, "fit": 3}
TABLES = {"filters": 0, "options": 1, "borders": 2, "types": 3, "algorithms": 4, "isas": 5}
TEXT_PROBLEM = 2


class Sized(ctypes.Structure):
    """A public struct, which sets its own size like SWATHE_INIT."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


class Error(Sized):
    _fields_ = [("struct_size", c_size_t), ("status", c_int32), ("system", c_int32),
                ("text", c_char_p), ("subject", c_char_p), ("needed", c_int64)]


class TableEntry(Sized):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("syntax", c_char_p),
                ("summary", c_char_p), ("detail", c_char_p), ("example", c_char_p),
                ("value", c_int64), ("available", c_int32), ("keeps", c_char_p),
                ("library", c_char_p)]


class Shape(ctypes.Structure):
    _fields_ = [("width", c_int64), ("height", c_int64),
                ("channels", c_int32), ("type", c_int32), ("color", c_int32), ("alpha", c_int32),
                ("reserved", c_uint64 * 4)]


class Image(Sized):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("width", c_int64),
                ("height", c_int64), ("row_stride", c_int64), ("pixel_stride", c_int64),
                ("channel_stride", c_int64), ("channels", c_int32), ("type", c_int32),
                ("x", c_int64), ("y", c_int64), ("full_width", c_int64), ("full_height", c_int64),
                ("color", c_int32), ("alpha", c_int32)]


class Mask(Sized):
    _fields_ = [("struct_size", c_size_t), ("width", c_int32), ("height", c_int32),
                ("anchor_x", c_int32), ("anchor_y", c_int32), ("has_anchor", c_int32),
                ("dilate_x", c_int32), ("dilate_y", c_int32), ("flip", c_int32),
                ("taps", POINTER(c_double)), ("bias", c_double)]


class Curves(Sized):
    _fields_ = [("struct_size", c_size_t), ("profile", c_void_p), ("profile_size", c_size_t),
                ("values", POINTER(c_double)), ("count", c_int32), ("size", c_int32)]


class PlanOptions(Sized):
    """Takes names instead of numbers: a border as (name, value), `values` as a name or (low, high).
    None: the default."""
    _fields_ = [("struct_size", c_size_t), ("border", c_int32), ("alpha", c_int32),
                ("border_value", c_double), ("type", c_int32), ("intermediate", c_int32),
                ("exact", c_int32), ("tune", c_int32), ("accuracy", c_double), ("light", c_int32),
                ("values", c_int32), ("values_low", c_double), ("values_high", c_double),
                ("nodata", c_char_p), ("device", c_char_p), ("algorithm", c_char_p),
                ("strategy", c_char_p), ("isa", c_char_p), ("max_memory", c_int64),
                ("device_memory", c_int64), ("curves", POINTER(Curves)), ("cancelled", c_void_p),
                ("cancel_user", c_void_p), ("arithmetic", c_char_p)]
    NAMES = {"alpha": ALPHAS, "light": LIGHTS, "type": TYPES, "intermediate": TYPES}

    def __init__(self, border=None, values=None, **fields):
        given = {key: self.NAMES[key][value] if key in self.NAMES else
                 value.encode() if isinstance(value, str) else value
                 for key, value in fields.items() if value is not None}
        super().__init__(**given)
        if border:
            self.border, self.border_value = BORDERS[border[0]], border[1]
        if isinstance(values, str):
            self.values = VALUES[values]
        elif values:
            self.values, (self.values_low, self.values_high) = VALUES["fit"], values


class PlanInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("source", Shape), ("result", Shape),
                ("stages", c_int32), ("exact", c_int32), ("scratch_bytes", c_int64),
                ("error_bound", c_double), ("work", c_double), ("seconds", c_double),
                ("origin_x", c_int64), ("origin_y", c_int64), ("nodata", c_char_p)]


class StageInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("text", c_char_p), ("algorithm", c_char_p),
                ("isa", c_char_p), ("border", c_int32), ("input", c_int32), ("output", c_int32),
                ("width", c_int64), ("height", c_int64), ("left", c_int32), ("right", c_int32),
                ("above", c_int32), ("below", c_int32), ("taps", c_int64),
                ("fraction_bits", c_int32), ("error_bound", c_double), ("gain", c_double),
                ("work", c_double), ("ring_bytes", c_int64)]


class Rect(ctypes.Structure):
    _fields_ = [("x", c_int64), ("y", c_int64), ("width", c_int64), ("height", c_int64)]


class RunTimes(Sized):
    _fields_ = [("struct_size", c_size_t), ("gather", c_double), ("upload", c_double),
                ("kernels", c_double), ("download", c_double), ("scatter", c_double),
                ("launches", c_int64), ("bytes_up", c_int64), ("bytes_down", c_int64),
                ("allocate", c_double), ("release", c_double), ("launched", c_double)]


class Clamped(Sized):
    _fields_ = [("struct_size", c_size_t), ("examined", c_int64), ("below", c_int64),
                ("above", c_int64)]


class RunOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int32), ("cell_rows", c_int64),
                ("span_columns", c_int64), ("region", Rect), ("scratch", c_void_p),
                ("scratch_bytes", c_int64), ("progress", c_void_p), ("progress_user", c_void_p),
                ("clamped", POINTER(Clamped)), ("times", POINTER(RunTimes))]


STRUCTS = {"swathe_error": Error, "swathe_table_entry": TableEntry, "swathe_shape": Shape,
           "swathe_image": Image, "swathe_mask": Mask,
           "swathe_curves": Curves, "swathe_plan_options": PlanOptions, "swathe_plan_info": PlanInfo,
           "swathe_stage_info": StageInfo, "swathe_rect": Rect, "swathe_run_times": RunTimes,
           "swathe_clamped": Clamped, "swathe_run_options": RunOptions}


class Refused(Exception):
    """An error of the library: its status and its text."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def layout_program():
    lines = ["#include <stdio.h>", "#include <swathe/unstable.h>", "int main(void)", "{"]
    for name, struct in STRUCTS.items():
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        for field, _ in struct._fields_:
            lines.append(f'    printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
    return "\n".join(lines + ["    return 0;", "}", ""])


def check_layout(include):
    """Compares sizes and offsets with the header; returns a list of differences."""
    here = {}
    for name, struct in STRUCTS.items():
        here[name] = ctypes.sizeof(struct)
        for field, _ in struct._fields_:
            here[f"{name}.{field}"] = getattr(struct, field).offset
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write(layout_program())
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run(compiler + ["-I", include, source, "-o", program], check=True)
        output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    there = {key: int(value) for key, value in (line.split() for line in output.splitlines())}
    return [f"{key}: {here.get(key)} in swathe_ctypes.py, {there.get(key)} in the header"
            for key in sorted(here.keys() | there.keys()) if here.get(key) != there.get(key)]


def image_view(array, type_name, alpha=0):
    """Returns a view of an array of height × width × channels with any strides."""
    height, width, channels = array.shape
    row, pixel, channel = array.strides
    return Image(data=array.ctypes.data, width=width, height=height, row_stride=row,
                 pixel_stride=pixel, channel_stride=channel, channels=channels,
                 type=TYPES[type_name], alpha=alpha)


class Library:
    """The built library and one context."""

    def __init__(self, build, threads=3):
        found = sorted(glob.glob(os.path.join(build, "**", "libswathe.so"), recursive=True))
        if not found:
            raise SystemExit(f"no libswathe.so under {build}")
        self.lib = ctypes.CDLL(found[0])
        self.lib.swathe_version.restype = c_char_p
        for name in ("chain_destroy", "plan_destroy", "context_destroy"):
            getattr(self.lib, f"swathe_{name}").argtypes = [c_void_p]
            getattr(self.lib, f"swathe_{name}").restype = None
        self.context = c_void_p()
        self.threads = threads
        self.call("context_create", None, byref(self.context))

    def call(self, name, *arguments):
        status = getattr(self.lib, f"swathe_{name}")(*arguments)
        if status != OK:
            error = Error()
            self.lib.swathe_error_get(byref(error))
            raise Refused(status, error.text.decode())

    def close(self):
        self.lib.swathe_context_destroy(self.context)

    def table(self, name):
        """Returns the entries of a table, as dictionaries."""
        entries, entry = [], TableEntry()
        while self.lib.swathe_table_get(TABLES[name], len(entries), byref(entry)) == OK:
            entries.append({field: getattr(entry, field).decode() for field in
                            ("name", "syntax", "summary", "detail", "example")}
                           | {"available": bool(entry.available)})
        return entries

    def chain(self, text):
        chain = c_void_p()
        self.call("chain_parse", self.context, text.encode(), byref(chain))
        return chain

    def mask(self, text, channel=0):
        """Returns the taps k of the contract, as the library computes them, and their anchor."""
        chain, mask = self.chain(text), Mask()
        try:
            self.call("chain_mask", chain, 0, channel, byref(mask))
            taps = numpy.array(mask.taps[:mask.width * mask.height])
            return taps.reshape(mask.height, mask.width), (mask.anchor_x, mask.anchor_y)
        finally:
            self.lib.swathe_chain_destroy(chain)

    def spelled(self, text):
        """Returns the chain as the library prints it."""
        chain, needed = self.chain(text), c_size_t()
        try:
            self.call("chain_text", chain, None, c_size_t(0), byref(needed))
            written = ctypes.create_string_buffer(needed.value)
            self.call("chain_text", chain, written, needed, None)
        finally:
            self.lib.swathe_chain_destroy(chain)
        return written.value.decode()

    def plan(self, text, shape, options):
        chain, plan = self.chain(text), c_void_p()
        try:
            self.call("plan_create", self.context, chain, byref(shape), byref(options), byref(plan))
        finally:
            self.lib.swathe_chain_destroy(chain)
        return Plan(self, plan)


class Plan:
    def __init__(self, library, handle):
        self.library, self.handle = library, handle
        self.info = PlanInfo()
        library.call("plan_get", handle, byref(self.info))
        self.stages = []
        for i in range(self.info.stages):
            self.stages.append(StageInfo())
            library.call("plan_stage", handle, i, byref(self.stages[i]))

    def problem(self):
        needed = c_size_t()
        self.library.call("plan_text", self.handle, TEXT_PROBLEM, None, c_size_t(0), byref(needed))
        text = ctypes.create_string_buffer(needed.value)
        self.library.call("plan_text", self.handle, TEXT_PROBLEM, text, needed, None)
        return text.value.decode()

    def run(self, source, alpha=0, planar=False, options=None):
        """Filters an array of height × width × channels into a new one."""
        shape = self.info.result
        size = (shape.height, shape.width, shape.channels)
        name = TYPE_NAMES[shape.type]
        if planar:
            result = numpy.zeros((size[2], size[0], size[1]), DTYPES[name]).transpose(1, 2, 0)
        else:
            result = numpy.zeros(size, DTYPES[name])
        from_view = image_view(source, TYPE_NAMES[self.info.source.type], alpha)
        to_view = image_view(result, name, alpha)
        self.library.call("run", self.library.context, self.handle, byref(from_view),
                          byref(to_view), byref(options or RunOptions()))
        return result

    def close(self):
        self.library.lib.swathe_plan_destroy(self.handle)
