"""The libraries that wheels may contain. None of the licences asks for source code."""
import re

from library_licences import LICENCES

# Start of the file's name: Debian's package.
KNOWN = {
    "libdeflate": "libdeflate0",
    "libisal": "libisal2",
    "libjpeg": "libjpeg62-turbo",
    "liblcms2": "liblcms2-2",
    "libpng16": "libpng16-16",
    "libtiff": "libtiff6",
    "libwebp": "libwebp7",
    "libwebpmux": "libwebpmux3",
    "libz": "zlib1g",
    "libzstd": "libzstd1",
}


def known(name):
    """Returns (package, licence) of a library's file name with auditwheel's hash, or None."""
    stem = re.fullmatch(r"(.+?)(-[0-9a-f]{8})?\.so[\d.]*", name)
    package = KNOWN.get(stem[1]) if stem else None
    return (package, LICENCES[package]) if package else None


def refusals(names):
    """Returns one line for each library that is not in the table."""
    return [f"{name} is not in tools/wheel_libraries.py; look up its licence (libjbig and libgomp "
            "are under the GPL)" for name in sorted(names) if not known(name)]
