"""The libraries that wheels may contain. None of the licences asks for source code."""
import re

# Start of the file's name: Debian's package and the licence that we use the library under.
KNOWN = {
    "libdeflate": ("libdeflate0", "MIT"),
    "libisal": ("libisal2", "BSD-3-Clause"),
    "libjpeg": ("libjpeg62-turbo", "IJG AND BSD-3-Clause AND Zlib"),
    "liblcms2": ("liblcms2-2", "MIT"),
    "libpng16": ("libpng16-16", "libpng-2.0"),
    "libtiff": ("libtiff6", "libtiff"),
    "libwebp": ("libwebp7", "BSD-3-Clause"),
    "libwebpmux": ("libwebpmux3", "BSD-3-Clause"),
    "libz": ("zlib1g", "Zlib"),
    "libzstd": ("libzstd1", "BSD-3-Clause"), # or the GPL, as one likes
}


def known(name):
    """Returns (package, licence) of a library's file name with auditwheel's hash, or None."""
    stem = re.fullmatch(r"(.+?)(-[0-9a-f]{8})?\.so[\d.]*", name)
    return KNOWN.get(stem[1]) if stem else None


def refusals(names):
    """Returns one line for each library that is not in the table."""
    return [f"{name} is not in tools/wheel_libraries.py; look up its licence (libjbig and libgomp "
            "are under the GPL)" for name in sorted(names) if not known(name)]
