#!/usr/bin/env python3
"""Checks the HTML of the site: links, anchors and pictures exist, and nothing is loaded from elsewhere.

    check_site.py DIRECTORY

It reads what Sphinx wrote, so it also finds what Sphinx itself or the theme got wrong.
"""
import html.parser
import os
import re
import sys
import urllib.parse

import tree

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
REMOTE_CSS = re.compile(r"@import|url\(\s*[\"']?(?:https?:)?//")


class Page(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.update(found[key] for key in ("id", "name") if found.get(key))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        target = found.get(LOADED.get(tag, ""))
        if target:
            self.loads.append(target)


def pages_of(root):
    found = {}
    for path in tree.files(root, ".html"):
        if path != "404.html":  # its links start at the root of a server
            found[path] = Page("\n".join(tree.lines(root, path)))
    return found


def check_link(root, pages, page, link):
    """What is wrong with a link, or None."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme in ("http", "https", "mailto") and link in pages[page].links:
        return None
    if parts.scheme or parts.netloc:
        return None if parts.scheme == "data" else "is loaded from elsewhere"
    if link.startswith("/"):
        return "needs a server"
    path = urllib.parse.unquote(parts.path)
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if target not in pages and not os.path.isfile(os.path.join(root, target)):
        return "does not exist"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "has no such anchor"
    return None


def check(root):
    pages = pages_of(root)
    problems = [f"{page}: {link} {wrong}" for page, content in pages.items()
                for link in dict.fromkeys(content.links + content.loads)
                for wrong in [check_link(root, pages, page, link)] if wrong]
    problems += [f"{path}: loads from elsewhere" for path in tree.files(root, ".css")
                 if REMOTE_CSS.search("\n".join(tree.lines(root, path)))]
    count = sum(len(content.links) + len(content.loads) for content in pages.values())
    if len(pages) < 40:
        problems.append(f"only {len(pages)} pages")
    return f"site: {len(pages)} pages, {count} links", problems


if __name__ == "__main__":
    tree.finish(*check(sys.argv[1]))
