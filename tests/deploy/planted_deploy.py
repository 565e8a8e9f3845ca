#!/usr/bin/env python3
"""Plants mistakes in copies of deploy/, one at a time. deploy_check.py must find each one.

    planted_deploy.py
"""
import contextlib
import importlib.util
import io
import os
import shutil
import sys
import tempfile

import deploy_check as deploy

TREE = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HADOLINT = shutil.which("hadolint")
SYSTEMD = shutil.which("systemd-analyze")
SCHEMA = importlib.util.find_spec("kubernetes_validate")
YAML = importlib.util.find_spec("yaml")
# check, file, old text, new text, whether the tool that finds it is installed
MISTAKES = [
    ("unit", deploy.UNIT, "ProtectSystem=strict", "ProtectSystem=no", True),
    ("unit", deploy.UNIT, "LoadCredential=aws:", "LoadCredential=other:", True),
    ("unit", deploy.UNIT, "TimeoutStopSec=45", "TimeoutStopSec=30", True),
    ("unit", deploy.UNIT, "RestartSec=10", "RestartSeconds=10", SYSTEMD),
    ("unit", deploy.UNIT, "CapabilityBoundingSet=\n", "CapabilityBoundingSet=CAP_SYS_ADMIN\n", SYSTEMD),
    ("unit", deploy.UNIT, "SystemCallFilter=@system-service\n", "", SYSTEMD),
    ("slurm", deploy.SLURM, "exec swathe-fleet", "swathe-fleet", True),
    ("slurm", deploy.SLURM, '"$@"\n', "$*\n", True),
    ("slurm", deploy.SLURM, "?00 ]]", "?* ]]", True),
    ("slurm", deploy.SLURM, "set -a\n", "\n", True),
    ("slurm", deploy.SLURM, "fi\n", "\n", True),
    ("slurm", deploy.SLURM, "--export=SWATHE_QUEUE", "--export=ALL,SWATHE_QUEUE", True),
    ("slurm", deploy.SLURM, "--signal=B:TERM@90", "--signal=TERM@90", True),
    ("container", deploy.CONTAINER, "/build/swathe-fleet_", "/build/swathe-fleets_", True),
    ("container", deploy.CONTAINER, "USER 65532:65532", "USER root", True),
    ("container", deploy.CONTAINER, "EXPOSE", "ENV AWS_REGION=x\nEXPOSE", True),
    ("container", deploy.CONTAINER, "/build/libswathe0_*.deb ", "", True),
    ("container", deploy.CONTAINER, "NEVER BUILT", "Built", True),
    ("container", deploy.CONTAINER, "# hadolint ignore=DL3008\n", "", HADOLINT),
    ("container", deploy.CONTAINER, "WORKDIR /build/source", "WORKDIR source", HADOLINT),
    ("container", deploy.CONTAINER, " AS build", "\nFROM alpine AS build", True),
    ("kubernetes", deploy.KUBERNETES, "serviceName:", "serviceNames:", SCHEMA),
    ("kubernetes", deploy.KUBERNETES, "periodSeconds: 20", 'periodSeconds: "20"', SCHEMA),
    ("kubernetes", deploy.KUBERNETES, "path: /readyz", "path: /ready", YAML),
    ("kubernetes", deploy.KUBERNETES, "containerPort: 9464", "containerPort: 9465", YAML),
    ("kubernetes", deploy.KUBERNETES, "terminationGracePeriodSeconds: 45",
     "terminationGracePeriodSeconds: 30", YAML),
    ("kubernetes", deploy.KUBERNETES, "readOnlyRootFilesystem: true",
     "readOnlyRootFilesystem: false", YAML),
    ("kubernetes", deploy.KUBERNETES, "subPathExpr: $(POD_NAME)", "subPathExpr: swathe", YAML),
    ("kubernetes", deploy.KUBERNETES, "mountPath: /tmp", "mountPath: /temporary", YAML),
    ("kubernetes", deploy.KUBERNETES, "consumer: p2", "consumer: p1", YAML),
    ("kubernetes", deploy.KUBERNETES, "stream: SWATHE_JOBS_photos", "stream: photos", YAML),
    ("kubernetes", deploy.KUBERNETES, 'lagThreshold: "4"', "lagThreshold: 4", YAML),
    ("kubernetes", deploy.KUBERNETES, "kind: StatefulSet\n    name", "kind: Deployment\n    name", YAML),
    ("kubernetes", deploy.KUBERNETES, "NEVER RUN", "Runs", True),
    ("secrets", deploy.KUBERNETES, "value: eu-central-1}", "value: x} # password: abc", True),
]


def found(check, path, old, new):
    """Whether the check finds the mistake in a copy of the files it reads."""
    with tempfile.TemporaryDirectory() as copy:
        for folder in ("deploy", "fleet"):
            shutil.copytree(os.path.join(TREE, folder), os.path.join(copy, folder))
        os.mkdir(os.path.join(copy, "debian"))
        shutil.copy(os.path.join(TREE, "debian/control"), os.path.join(copy, "debian"))
        text = deploy.read(copy, path)
        if old not in text:
            sys.exit(f"{path} has no '{old}'")
        with open(os.path.join(copy, path), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        with contextlib.redirect_stdout(io.StringIO()):
            return bool(deploy.check(copy, None, (check,)))


def main():
    missed = skipped = 0
    for check, path, old, new, possible in MISTAKES:
        if not possible:
            skipped += 1
        elif not found(check, path, old, new):
            missed += 1
            print(f"NOT FOUND: {path}: '{old}' replaced by '{new}'")
    if skipped:
        print(f"skipped: {skipped} mistakes in deploy/ (the tool that finds them is not installed)")
    print(f"planted in deploy/: {len(MISTAKES) - missed - skipped} of {len(MISTAKES)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
