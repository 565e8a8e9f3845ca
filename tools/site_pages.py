#!/usr/bin/env python3
"""Collects the pages of the site as Markdown, for a generator to render.

    site_pages.py DIRECTORY

These are the pages of docs/, the reference (site_reference.py), and the files of the repository that
a page links to, so that the site is complete without a network: Markdown stays what it is, other
files are shown, directories are listed. Links are adapted; one to a file that does not exist is an
error.
"""
import os
import posixpath
import re
import shutil
import sys

import site_reference
import tree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Files of the repository that the reference shows in its own way.
PAGES = {"include/swathe/swathe.h": "reference/swathe-h.md",
         "include/swathe/streams.h": "reference/streams-h.md"}
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".sh": "sh",
             ".yaml": "yaml", ".service": "ini"}
NAVIGATION = "docs/site/navigation.txt"
PICTURES = (".jpg", ".png", ".svg", ".csv")
CODE = r"^(?P<fence>```+|~~~+)[^\n]*\n.*?^(?P=fence)[ ]*$|`(?:[^`\n]|\n(?!\n))+`|"
LINK = re.compile(CODE + r"\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)",
                  re.MULTILINE | re.DOTALL)


def is_page(path):
    """Whether a path is a page or picture of docs/, which keeps its place."""
    return path.startswith("docs/") and path.endswith((".md", *PICTURES))


def page_of(path):
    """The page of the site for a path of the repository."""
    if is_page(path):
        return path[len("docs/"):]
    if path in PAGES:
        return PAGES[path]
    if os.path.isdir(os.path.join(ROOT, path)):
        return f"repository/{path}/index.md"
    return "repository/" + (path if path.endswith(".md") else path + ".md")


def target_of(source, match):
    """The path of the repository that a link names; None if it is not a link, or one to the web."""
    target = match["target"]
    if not target or ":" in target:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))


def text_of(path):
    """The Markdown of a file or directory of the repository."""
    full = os.path.join(ROOT, path)
    if os.path.isdir(full):
        names = sorted(name for name in os.listdir(full) if not name.startswith((".", "__")))
        folder = posixpath.basename(path)
        return f"# {path}/\n\n" + "".join(f"- [{name}]({folder}/{name})\n" for name in names)
    with open(full, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        return text
    language = LANGUAGES.get(os.path.splitext(path)[1], "text")
    return f"# {path}\n\n````{language}\n{text.rstrip()}\n````\n"


def navigation():
    """The captions of the navigation, with the paths of their pages and the titles if given."""
    found = {}
    for line in tree.lines(ROOT, NAVIGATION):
        if line.startswith("    "):
            path, _, title = line.strip().partition("  ")
            found[caption][path] = title.strip()
        elif line and not line.startswith("#"):
            caption = line
            found[caption] = {}
    return found


def toctrees():
    """The navigation as Sphinx wants it."""
    return "".join(f"\n```{{toctree}}\n:hidden:\n:caption: \"{caption}\"\n\n"
                   + "".join(f"{title} <{page_of(path)}>\n" if title else f"{page_of(path)}\n"
                             for path, title in paths.items()) + "```\n"
                   for caption, paths in navigation().items())


class Site:
    """The pages found so far: path in the repository, and Markdown."""

    def __init__(self):
        self.pages, self.problems = {}, []
        self.made = site_reference.pages()
        listed = [path for paths in navigation().values() for path in paths]
        self.listed = {page_of(path) for path in listed}
        for path in tree.files(os.path.join(ROOT, "docs"), ".md"):
            self.add("docs/" + path, text_of("docs/" + path))
        for page, text in self.made.items():
            self.add("docs/" + page, text)
        for path in listed:
            self.need(path)

    def add(self, path, text):
        self.pages[path] = text
        for match in LINK.finditer(text):
            target = target_of(path, match)
            if target:
                self.need(target, path)

    def need(self, target, source=NAVIGATION):
        """A page, picture or file that `source` links to."""
        made = {"docs/" + page for page in self.made}
        if not os.path.exists(os.path.join(ROOT, target)) and not (
                target in made and source in made | {NAVIGATION}):  # on a forge they do not exist
            self.problems.append(f"{source} links to {target}, which does not exist")
        elif target not in self.pages and not is_page(target) and target not in PAGES:
            self.add(target, text_of(target))

    def rendered(self, path):
        """The Markdown of a page with links of the site."""
        page = page_of(path)

        def replaced(match):
            target = target_of(path, match)
            if target is None:
                return match[0]
            link = posixpath.relpath(page_of(target), posixpath.dirname(page) or ".")
            return f"]({link}{match['anchor'] or ''})"

        text = LINK.sub(replaced, self.pages[path])
        if path == "docs/index.md":
            return text + toctrees()
        return text if page in self.listed else f"---\norphan: true\n---\n\n{text}"

    def write(self, folder):
        for path in self.pages:
            write(os.path.join(folder, page_of(path)), self.rendered(path))
        for path in tree.files(os.path.join(ROOT, "docs"), *PICTURES):
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, "docs", path), os.path.join(folder, path))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(folder):
    site = Site()
    site.write(folder)
    # A page of docs/ that the navigation lacks would not be found by its readers.
    site.problems += [f"{path} is not in {NAVIGATION}" for path in site.pages
                      if is_page(path) and page_of(path) not in site.listed | {"index.md"}]
    tree.finish(f"pages: {len(site.pages)}", site.problems)


if __name__ == "__main__":
    main(sys.argv[1])
