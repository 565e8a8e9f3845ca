"""What the commands of these checks share: their options, many problems, and bugs that they plant in
their own rules, which must then differ from the library."""
import argparse

import forms


def options(count, target="build"):
    """Parses TARGET [--count N] [--seed S] [--only INDEX] [--self-test]."""
    parser = argparse.ArgumentParser()
    parser.add_argument(target)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args()


def all_pass(given, check):
    """Calls check(index) for the chosen problem or for all, and prints how many passed."""
    if given.only is not None:
        return check(given.only)
    failed = sum(not check(i) for i in range(given.count))
    print(f"{given.count - failed} passed, {failed} failed")
    return failed == 0


def is_found(what, check, count):
    """A check with a bug must be false for one of `count` problems."""
    found = not all(check(i) for i in range(count))
    print(f"self-test: {what}: found" if found else f"FAILED: not found: {what}")
    return found


def all_found(planted, bugs, check, count):
    """Each bug, put into the set `planted`, must be found."""
    missed = []
    for bug in bugs:
        planted.add(bug)
        forms.forget()
        if all(check(i) for i in range(count)):
            missed.append(bug)
        planted.clear()
    forms.forget()
    print(f"FAILED: not found: {', '.join(missed)}" if missed else "self-test: all bugs found")
    return not missed
