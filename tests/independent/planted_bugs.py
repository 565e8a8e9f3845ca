"""Bugs that checks plant in their own rules, which must then differ from the library."""
import forms


def all_found(planted, bugs, passes, count):
    """Each bug, put into the set `planted`, must be found: of `count` problems, passes(number) is
    false for one."""
    missed = []
    for bug in bugs:
        planted.add(bug)
        forms.forget()
        if all(passes(i) for i in range(count)):
            missed.append(bug)
        planted.clear()
    forms.forget()
    print(f"FAILED: not found: {', '.join(missed)}" if missed else "self-test: all bugs found")
    return not missed
