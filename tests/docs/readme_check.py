#!/usr/bin/env python3
"""Follows the README in an empty directory, as a new user would.

    readme_check.py SOURCE_DIR BUILD_DIR [PAGE]

page_session.py says what becomes of each block; tests/python/docs_run.py runs the Python. The
directory initially contains photo.jpg of the gallery. Relative links in the documents must exist.
PAGE is another page to follow.
"""
import os
import re
import shutil
import sys
import tempfile

import page_session

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "NEWS.md", "docs/gallery/gallery.md"]


def check_links(source, document):
    with open(os.path.join(source, document), encoding="utf-8") as file:
        text = file.read()
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        path = os.path.join(source, os.path.dirname(document), target)
        if "://" not in target and not os.path.exists(path):
            yield f"{document}: no {target}"


def main(source, build, page):
    problems = [problem for document in {page, *DOCUMENTS} for problem in check_links(source, document)]
    with tempfile.TemporaryDirectory(prefix="swathe-readme-") as folder:
        shutil.copy(os.path.join(source, "docs/gallery/photo.jpg"), folder)
        env = page_session.environment_of_build(build)
        with page_session.Session(os.path.join(source, page), folder, env, elsewhere=("python",)) as session:
            problems += session.follow()
    summary = page_session.summary(session.ran, session.shown)
    print("\n".join(problems + [summary, f"{len(problems)} problems"]))
    return 1 if problems or not session.ran else 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(path) for path in sys.argv[1:3]),
                  sys.argv[3] if len(sys.argv) > 3 else "README.md"))
