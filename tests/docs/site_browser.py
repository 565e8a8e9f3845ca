#!/usr/bin/env python3
"""Looks at the site in a real browser, from disk: every page fits 400 pixels, its text stands out from
its background in light and dark, and the search finds a page.

    site_browser.py SITE

Needs chromium, and is skipped without it.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FRAME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site_frame.html")
WIDTH = 400
CONTRAST = 4.5  # WCAG 2.1, level AA, for text of usual size
SCHEMES = {"light": 1, "dark": 0}  # as Chromium counts them


def chromium(url, scheme, folder):
    """The page as the browser has it after its scripts ran."""
    done = subprocess.run(
        [shutil.which("chromium"), "--headless=new", "--no-sandbox", "--disable-gpu",
         "--disable-dev-shm-usage",  # containers have little of it
         "--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND",
         f"--user-data-dir={folder}/profile", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
         "--window-size=1000,900", "--virtual-time-budget=90000", "--dump-dom", url],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300)
    return done.stdout


def pages(site):
    found = [os.path.relpath(os.path.join(folder, name), site)
             for folder, _, names in os.walk(site) for name in names if name.endswith(".html")]
    return sorted(path for path in found if path != "404.html")


def look(site, scheme):
    """What is wrong with the pages in one colour scheme."""
    with tempfile.TemporaryDirectory(prefix="swathe-browser-") as folder:
        frame = os.path.join(folder, "frame.html")
        data = {"site": f"file://{os.path.abspath(site)}/", "pages": pages(site), "width": WIDTH,
                "contrast": CONTRAST}
        with open(FRAME, encoding="utf-8") as source, open(frame, "w", encoding="utf-8") as file:
            file.write(source.read().replace("DATA;", json.dumps(data) + ";", 1))
        output = chromium("file://" + frame, scheme, folder)
    text = re.search(r'<pre id="found">(.*?)</pre>', output, re.DOTALL)
    lines = html.unescape(text[1]).splitlines() if text else ["the browser printed nothing"]
    if lines[-1:] != [f"looked at {len(pages(site))} pages"]:
        return [*lines, "the browser did not look at all pages"]
    return [f"{scheme}: {line}" for line in lines[:-1]]


def search(site):
    with tempfile.TemporaryDirectory(prefix="swathe-browser-") as folder:
        output = chromium(f"file://{os.path.abspath(site)}/search.html?q=gaussian", "light", folder)
    found = re.findall(r'<li class="[^"]*kind-[^"]*"><a href="([^"?#]+)', output)
    return [] if any("filters.html" in link for link in found) else [
        f"search: gaussian is not found in filters.html, but in {found}"]


def check(site):
    return [problem for scheme in SCHEMES for problem in look(site, scheme)] + search(site)


def main(site):
    if not shutil.which("chromium"):
        print("skipped: the site in a browser (chromium is not installed)")
        return 77
    problems = check(site)
    print("\n".join([*problems, f"{len(pages(site))} pages in {len(SCHEMES)} colour schemes, "
                     f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
