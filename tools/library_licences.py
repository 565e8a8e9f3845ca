"""Licences of the libraries that binaries of Swathe contain or need, as SPDX writes them."""

# Debian's package, or the name of a library in a static archive: the licence that we use it under.
LICENCES = {
    "libc6": "LGPL-2.1-or-later",
    "libcurl4": "curl",
    "libdeflate0": "MIT",
    "libgomp1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libisal2": "BSD-3-Clause",
    "libjansson4": "MIT",
    "libjpeg62-turbo": "IJG AND BSD-3-Clause AND Zlib",
    "liblcms2-2": "MIT",
    "libnats3.4": "Apache-2.0",
    "libpng16-16": "libpng-2.0",
    "libssl3": "Apache-2.0",
    "libtiff6": "libtiff",
    "libwebp7": "BSD-3-Clause",
    "libwebpmux3": "BSD-3-Clause",
    "libzstd1": "BSD-3-Clause",  # or the GPL, as one likes
    "musl": "MIT",
    "python3": "Python-2.0",
    "python3-numpy": "BSD-3-Clause",
    "zlib1g": "Zlib",
}


def unknown(names):
    """Returns one line for each package that is not in the table."""
    return [f"{name} is not in tools/library_licences.py; look up its licence"
            for name in sorted(set(names) - set(LICENCES))]
