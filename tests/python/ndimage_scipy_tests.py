"""SciPy's own tests and examples of the functions of swathe.ndimage.

    ndimage_scipy_tests.py [--self-test]

The test module of the installed SciPy runs unchanged, with the functions of scipy.ndimage replaced
at run time. A test counts if it calls one of them. Tests that fail must be in LEFT_OUT, and tests
in LEFT_OUT must fail. --self-test plants a bug that the tests must find.
"""
from __future__ import annotations

import contextlib
import doctest
import functools
import io
import re
import sys
from typing import Any
from unittest import mock

import numpy as np
import pytest
import scipy.ndimage
from scipy._lib import _array_api

import swathe.ndimage

TRUNCATED = "SciPy truncates integers, swathe rounds them"
WRAPPED = "SciPy's unsigned results wrap around, swathe clamps them"
COMPLEX = "complex numbers are refused"

# Regular expressions of test names, and why they fail.
_CLASS = "TestNdimageFilters::test_"
LEFT_OUT = {
    r"(?!.*invalid_cval).*complex.*": COMPLEX,
    _CLASS + r"gaussian_(gradient_magnitude|laplace)0[12]\[numpy-int32\]": TRUNCATED,
    _CLASS + r"generic_laplace01\[numpy-int\d+\]": TRUNCATED,
    _CLASS + r"generic_laplace01\[numpy-uint\d+\]": WRAPPED,
    _CLASS + r"(prewitt|sobel)0[123]\[numpy-uint\d+\]": WRAPPED,
    r"test_uniform_filter1d_roundoff_errors\[numpy\]": TRUNCATED,
    r"test_gaussian_filter_float16\[numpy\]": "SciPy refuses float16, swathe computes in float32",
    _CLASS + r"gauss03\[numpy\]": "the sum over a float32 image must be equal to 3e-8, less than "
                                   "the rounding of float32 taps",
}
# Functions with examples whose numbers differ.
EXAMPLES = ("gaussian_filter", "uniform_filter1d")


class Watch:
    """Replaces functions, and notes which tests call them."""

    def __init__(self) -> None:
        self.calls = 0
        self.used: set[str] = set()
        self.results: dict[str, str] = {}
        self.errors: dict[str, str] = {}

    def replace(self) -> None:
        for name in swathe.ndimage.__all__:
            ours, theirs = getattr(swathe.ndimage, name), getattr(scipy.ndimage, name)
            counted = self.counted(ours)
            # SciPy's decorators look functions up in this table.
            table = _array_api.xp_capabilities_table
            if theirs in table:
                table[counted] = table[theirs]
            setattr(scipy.ndimage, name, counted)

    def counted(self, function: Any) -> Any:
        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            self.calls += 1
            return function(*arguments, **keywords)

        return call

    def pytest_runtest_setup(self, item: Any) -> None:
        del item
        self.calls = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = report.nodeid.split("::", 1)[1]
        if report.when == "call" or report.failed:
            self.results[name] = report.outcome
            if report.failed:
                self.errors[name] = str(report.longrepr).strip().splitlines()[-1]
            if self.calls:
                self.used.add(name)


def run_tests() -> Watch:
    """SciPy's tests."""
    watch = Watch()
    watch.replace()
    path = scipy.ndimage.__path__[0] + "/tests/test_filters.py"
    silent = io.StringIO()
    with contextlib.redirect_stdout(silent):
        pytest.main([path, "-q", "-p", "no:cacheprovider", "--tb=short", "--no-header",
                     "-W", "ignore"], plugins=[watch])
    if not watch.results:
        raise SystemExit(silent.getvalue())
    return watch


def reason_of(name: str) -> str | None:
    return next((why for pattern, why in LEFT_OUT.items() if re.fullmatch(pattern, name)), None)


def check_tests() -> bool:
    """Runs the tests and reports."""
    watch = run_tests()
    counts: dict[str, int] = {}
    good, passed = True, 0
    for name in sorted(watch.used):
        failed, why = watch.results[name] == "failed", reason_of(name)
        passed += not failed
        if failed and why:
            counts[why] = counts.get(why, 0) + 1
        elif failed or why:
            good = False
            print(f"{'failed' if failed else 'passes, but is left out'}: {name}: "
                  f"{watch.errors.get(name, why)}")
    print(f"SciPy's tests: {len(watch.used)} call these functions, {passed} pass, "
          f"{sum(counts.values())} left out")
    for why, count in counts.items():
        print(f"  {count}: {why}")
    return good and passed > 0


class Close(doctest.OutputChecker):
    """Compares numbers, not the way that they are written."""

    def check_output(self, want: str, got: str, flags: int) -> bool:
        if super().check_output(want, got, flags):
            return True
        texts = [re.sub(r"\s", "", re.sub(r"-?\d+\.?\d*(e[+-]?\d+)?", "#", text))
                 for text in (want, got)]
        numbers = [[float(n) for n in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]
                   for text in (want, got)]
        return texts[0] == texts[1] and np.allclose(*numbers, rtol=1e-7)


def check_examples() -> bool:
    """Runs the examples of SciPy's documentation."""
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(Close(), verbose=False,
                                   optionflags=doctest.NORMALIZE_WHITESPACE)
    picture = np.random.default_rng(1).integers(0, 256, (64, 64), np.uint8)
    good, tried, left_out = True, 0, 0
    from scipy.ndimage import _filters

    for name in swathe.ndimage.__all__:
        for test in finder.find(getattr(_filters, name), name):
            for example in test.examples:  # drawings have no result to compare
                if re.search(r"plt|fig|titles|\bax\d?\.|\bax\d? =|\baxs?e?s?\[", example.source):
                    example.source, example.want = "pass\n", ""
            text = io.StringIO()
            with mock.patch.object(scipy, "datasets", mock.Mock(ascent=lambda: picture),
                                   create=True):
                result = runner.run(test, out=text.write)
            tried += result.attempted
            failed = result.failed > 0
            left_out += result.failed if name in EXAMPLES else 0
            if failed != (name in EXAMPLES):
                good = False
                print(text.getvalue() or f"passes, but is left out: {name}")
    print(f"SciPy's examples: {tried} lines, {left_out} left out ({', '.join(EXAMPLES)}: "
          f"{TRUNCATED})")
    return good


def main(arguments: list[str]) -> int:
    """The command."""
    if arguments == ["--self-test"]:
        from swathe import _nd_recipes

        with mock.patch.dict(_nd_recipes._BORDERS, nearest="wrap"), \
                contextlib.redirect_stdout(io.StringIO()) as text:
            found = not check_tests()
        print("planted bug found" if found else f"planted bug not found:\n{text.getvalue()}")
        return not found
    tests = check_tests()
    return not (check_examples() and tests)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
