"""Swathe itself, through its public header: plan and scratch are made before, the run is timed."""
import ctypes
import glob
import os
import sys
from ctypes import byref

from contender import Skip, Way
from works import BORDER
from swathe_ctypes import TYPES, Library, PlanOptions, Refused, RunOptions, Shape, image_view

ALIGNMENT, LIBRARY = 64, "libswathe.so"


class Swathe:
    def __init__(self, folder):
        self.library = Library(folder)

    def version(self):
        return f"Swathe {self.library.lib.swathe_version().decode()}"

    def isa(self, problem):
        """None, or the highest instruction set without matrix units."""
        if not problem.work.without_amx:
            return None
        names = [row["name"] for row in self.library.table("isas") if row["available"]]
        return [name for name in names if "amx" not in name][-1].encode()

    def ways(self, problem):
        return [Way("Swathe", "", lambda: self.prepare(problem))]

    def prepare(self, problem):
        work = problem.work
        shape = Shape(width=work.width, height=work.height, channels=3, type=TYPES[work.type])
        options = PlanOptions(border=BORDER.encode(), isa=self.isa(problem))
        try:
            plan = self.library.plan(work.chain, shape, options)
        except Refused as refused:
            raise Skip(str(refused)) from refused
        size = problem.threads * plan.info.scratch_bytes
        scratch = ctypes.create_string_buffer(size + ALIGNMENT)
        aligned = -(-ctypes.addressof(scratch) // ALIGNMENT) * ALIGNMENT
        run_options = RunOptions(threads=problem.threads, scratch=aligned, scratch_bytes=size)
        return self.bind(plan, problem, run_options, scratch)

    def bind(self, plan, problem, run_options, scratch):
        source = image_view(problem.image, problem.work.type)
        target = image_view(problem.out, problem.work.type)
        call = self.library.lib.swathe_run
        arguments = (self.library.context, plan.handle, byref(source), byref(target),
                     byref(run_options))

        def run(keep=(scratch, source, target)):
            if call(*arguments) != 0:
                raise RuntimeError(self.library.lib.swathe_error_text().decode())
        run.close = plan.close
        run.note = " ".join(f"{stage.algorithm.decode()}/{stage.isa.decode()}"
                            for stage in plan.stages)
        if problem.work.without_amx and "amx" in run.note:
            raise RuntimeError(f"matrix units were to be left out, and the plan is {run.note}")
        return run


def holds_library(folder):
    return bool(glob.glob(os.path.join(folder, "**", LIBRARY), recursive=True))


def in_prefix(prefix):
    """The folder of an installed library, whatever the system calls it; None: not there."""
    for name in ("lib", "lib64", os.path.join("lib", "*-linux-*")):
        for found in sorted(glob.glob(os.path.join(glob.escape(prefix), name, LIBRARY))):
            return os.path.dirname(os.path.abspath(found))
    return None


def folder(build):
    """Where the library is: under $SWATHE_PREFIX, in --build, or in build/ here or in the tree."""
    prefix = os.environ.get("SWATHE_PREFIX")
    if prefix:
        found = in_prefix(prefix)
        where = f"SWATHE_PREFIX={prefix} (looked in lib, lib64 and lib/*-linux-*)"
    else:
        tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build")
        candidates = [build] if build else ["build", tree]
        found = next(filter(holds_library, candidates), None)
        where = " or ".join(map(os.path.abspath, candidates))
    if found:
        return os.path.abspath(found)
    print(f"peers: no {LIBRARY} in {where}; set SWATHE_PREFIX to where Swathe is installed, or "
          "give its build folder with --build DIR", file=sys.stderr)
    sys.exit(2)
