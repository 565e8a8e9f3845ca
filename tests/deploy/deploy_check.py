#!/usr/bin/env python3
"""Checks the files of deploy/ as far as that is possible without systemd, Slurm, Docker and
Kubernetes running.

    deploy_check.py [--program SWATHE_FLEET] [TREE]

Prints what was checked and what was skipped. Nothing here proves that a file works: the container
was never built, and the manifest was never applied to a cluster.

unit        systemd-analyze verify; exposure of systemd-analyze security at most 1.5 of 10
slurm       bash -n; shellcheck; runs with a substitute for swathe-fleet, which gets the signal;
            refuses missing variables and credentials that others can read
container   hadolint; the packages are those of debian/control; no root
kubernetes  strict JSON schemas of kubernetes-validate; fields of KEDA's nats-jetstream trigger; names
            of streams, consumers, paths and ports are those of the sources
options     'swathe-fleet worker' has every option that the files use
"""
import argparse
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

UNIT, SLURM = "deploy/swathe-fleet-worker@.service", "deploy/slurm-worker.sh"
CONTAINER, KUBERNETES = "deploy/Containerfile", "deploy/kubernetes.yaml"
EXPOSURE = 15  # tenths
TRIGGER = {"natsServerMonitoringEndpoint", "account", "stream", "consumer", "lagThreshold",
           "activationLagThreshold", "useHttps"}
SECRET = re.compile(r"(?i)(secret_access_key|password|session_token)\s*[=:]\s*[^.\s#]")


def read(tree, path):
    with open(os.path.join(tree, path), encoding="utf-8") as file:
        return file.read()


def skip(what, why):
    print(f"skipped: {what} ({why})")


def run(words, **keys):
    return subprocess.run(words, capture_output=True, text=True, check=False, **keys)


# ---- Unit ---------------------------------------------------------------------------------------


def check_unit(tree, _):
    """Yields problems of the systemd unit."""
    text = read(tree, UNIT)
    for line in ("DynamicUser=yes", "ProtectSystem=strict", "LimitCORE=0", "KillSignal=SIGTERM",
                 # Workers of two sets have different users, and need different ports.
                 "CacheDirectory=swathe/%i", "EnvironmentFile=-/etc/swathe/worker-%i.env"):
        if line not in text.splitlines():
            yield f"{UNIT}: {line} is missing"
    if not re.search(r"^LoadCredential=aws:", text, re.MULTILINE):
        yield f"{UNIT}: the store's credentials are not loaded by LoadCredential"
    grace = int(re.search(r"--grace (\d+)", text).group(1))
    if int(re.search(r"TimeoutStopSec=(\d+)", text).group(1)) < grace + 5:
        yield f"{UNIT}: TimeoutStopSec is below --grace and 5 s"
    if not shutil.which("systemd-analyze"):
        skip("systemd-analyze verify and security", "systemd is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(UNIT))
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text.replace("/usr/bin/swathe-fleet", "/bin/true"))
        done = run(["systemd-analyze", "verify", copy])
        if done.returncode != 0 or done.stderr.strip():
            yield f"{UNIT}: systemd-analyze verify: {done.stderr.strip()}"
        done = run(["systemd-analyze", "security", "--no-pager", "--offline=true",
                    f"--threshold={EXPOSURE}", copy])
        if done.returncode != 0:
            yield f"{UNIT}: systemd-analyze security: {(done.stdout + done.stderr).strip()[-200:]}"


# ---- Slurm --------------------------------------------------------------------------------------

SUBSTITUTE = """#!/bin/bash
printf '%s\\n' "$@" "creds=${NATS_CREDS:-}" "user=${SWATHE_NATS_USER:-}" > "$HOME/words"
if [ -n "${WAIT:-}" ]; then
    trap 'echo term > "$HOME/signal"; exit 0' TERM
    touch "$HOME/ready"
    for i in $(seq 100); do sleep 0.1; done
fi
"""


class SlurmTrial:
    """Runs the script with a substitute for swathe-fleet in a directory of its own."""

    def __init__(self, tree, folder):
        self.script, self.home = os.path.join(tree, SLURM), folder
        os.makedirs(folder + "/bin")
        os.makedirs(folder + "/.config/swathe")
        with open(folder + "/bin/swathe-fleet", "w", encoding="utf-8") as file:
            file.write(SUBSTITUTE)
        os.chmod(folder + "/bin/swathe-fleet", 0o755)
        self.environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": folder,
                            "SWATHE_QUEUE": "nats://q:4222", "SWATHE_SET": "photos",
                            "SLURM_ARRAY_TASK_ID": "3"}

    def run(self, **environment):
        return run(["bash", self.script, "--allow", "s3://a b/"],
                   env={**self.environment, **environment})

    def words(self):
        with open(self.home + "/words", encoding="utf-8") as file:
            return file.read().splitlines()

    def put(self, name, text, mode):
        path = f"{self.home}/.config/swathe/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def signalled(self):
        """Whether SIGTERM to the script's process reaches the worker."""
        process = subprocess.Popen(["bash", self.script], env={**self.environment, "WAIT": "1"})
        end = time.monotonic() + 10
        while not os.path.exists(self.home + "/ready") and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return os.path.exists(self.home + "/signal")


def try_slurm(trial):
    """Yields problems of runs of the script."""
    done = trial.run()
    if done.returncode != 0:
        yield f"{SLURM}: failed: {done.stderr.strip()}"
        return
    expected = ["--queue", "nats://q:4222", "--set", "photos", "--name", "slurm-3"]
    words = trial.words()
    if words[0] != "worker" or any(word not in words for word in expected):
        yield f"{SLURM}: started the worker with {words}"
    if "s3://a b/" not in words:
        yield f"{SLURM}: does not pass its arguments on as they are"
    for name in ("SWATHE_QUEUE", "SWATHE_SET", "SLURM_ARRAY_TASK_ID"):
        if trial.run(**{name: ""}).returncode != 2:
            yield f"{SLURM}: runs without {name}"
    trial.put("nats.env", "SWATHE_NATS_USER=me\nSWATHE_NATS_PASSWORD=x\n", 0o600)
    if trial.run().returncode != 0 or "user=me" not in trial.words():
        yield f"{SLURM}: does not read nats.env"
    trial.put("slurm-3.creds", "x", 0o640)
    if trial.run().returncode != 2:
        yield f"{SLURM}: accepts credentials that the group can read"
    trial.put("slurm-3.creds", "x", 0o600)
    trial.run()
    if f"creds={trial.home}/.config/swathe/slurm-3.creds" not in trial.words():
        yield f"{SLURM}: does not use slurm-3.creds"
    if not trial.signalled():
        yield f"{SLURM}: SIGTERM does not reach the worker"


def check_slurm(tree, _):
    script = os.path.join(tree, SLURM)
    done = run(["bash", "-n", script])
    if done.returncode != 0:
        yield f"{SLURM}: bash -n: {done.stderr.strip()}"
        return
    if shutil.which("shellcheck"):
        done = run(["shellcheck", script])
        if done.returncode != 0:
            yield f"{SLURM}: shellcheck: {done.stdout.strip()}"
    else:
        skip("shellcheck of the Slurm script", "it is not installed")
    if re.search(r"sbatch .*--export=(ALL|[^ ]*=)", read(tree, SLURM)):
        yield f"{SLURM}: the example gives Slurm the whole environment, or cuts values at commas"
    if not re.search(r"^#SBATCH --signal=B:TERM@\d+", read(tree, SLURM), re.MULTILINE):
        yield f"{SLURM}: Slurm would kill the worker without SIGTERM"
    with tempfile.TemporaryDirectory() as folder:
        yield from try_slurm(SlurmTrial(tree, folder))


# ---- Container ----------------------------------------------------------------------------------


def instructions(text):
    """Returns (word, rest) of each instruction; lines that end in a backslash are joined."""
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [line.split(None, 1) for line in text.splitlines() if line.strip()]


def installed(steps):
    """The names of our packages that the last stage installs."""
    last = max(number for number, (word, _) in enumerate(steps) if word == "FROM")
    text = " ".join(rest for word, rest in steps[last:] if word == "RUN")
    return set(re.findall(r"/build/([a-z0-9-]+)_\*\.deb", text))


def package_problems(tree, steps):
    """The packages must exist, and each must come with those of ours that it needs."""
    stanzas = read(tree, "debian/control").split("\n\n")[1:]
    ours = {re.match(r"Package: (\S+)", stanza)[1] for stanza in stanzas}
    names = installed(steps)
    for name in sorted(names - ours):
        yield f"{CONTAINER}: debian/control has no package {name}"
    for name in sorted({"libswathe0", "swathe-fleet"} - names):
        yield f"{CONTAINER}: does not install {name}"


def check_container(tree, _):
    text = read(tree, CONTAINER)
    steps = instructions(text)
    stages = [rest for word, rest in steps if word == "FROM"]
    if len(stages) != 2 or any("debian:12" not in stage for stage in stages):
        yield f"{CONTAINER}: not two stages of Debian 12, but {stages}"
    yield from package_problems(tree, steps)
    users = [rest for word, rest in steps if word == "USER"]
    if not users or users[-1].split(":")[0] in ("0", "root"):
        yield f"{CONTAINER}: runs as root"
    if any(word in ("ENV", "ARG") for word, _ in steps):
        yield f"{CONTAINER}: variables of the image can leak; give them when it runs"
    if "NEVER BUILT" not in text:
        yield f"{CONTAINER}: does not say that it was never built"
    if not shutil.which("hadolint"):
        skip("hadolint of the container", "it is not installed")
        return
    done = run(["hadolint", os.path.join(tree, CONTAINER)])
    if done.returncode != 0:
        yield f"{CONTAINER}: hadolint: {done.stdout.strip()}"


# ---- Kubernetes ---------------------------------------------------------------------------------


def schema_problems(documents):
    try:
        import kubernetes_validate
    except ImportError:
        skip("schemas of Kubernetes", "kubernetes-validate is not installed")
        return
    version = kubernetes_validate.latest_version()
    for document in documents:
        if document["apiVersion"].startswith("keda.sh/"):
            continue
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            path = "/".join(map(str, error.path))
            yield f"{KUBERNETES}: {document['kind']}/{path}: {error.message}"


def worker_problems(tree, stateful):
    """Checks ports, probes, security and credentials of the worker."""
    pod = stateful["spec"]["template"]["spec"]
    worker = pod["containers"][0]
    port = worker["ports"][0]
    if f"--metrics=0.0.0.0:{port['containerPort']}" not in worker["args"]:
        yield f"{KUBERNETES}: the worker does not listen on its port {port['containerPort']}"
    served = set(re.findall(r'asks_for\(request, "(/\w+)"\)', read(tree, "fleet/worker/metrics.c")))
    for probe, path in {"startupProbe": "/healthz", "livenessProbe": "/healthz",
                        "readinessProbe": "/readyz"}.items():
        asked = worker.get(probe, {}).get("httpGet", {})
        if asked != {"path": path, "port": port["name"]} or path not in served:
            yield f"{KUBERNETES}: {probe} asks {asked}"
    grace = next(int(word[8:].rstrip("s")) for word in worker["args"] if word.startswith("--grace="))
    if pod["terminationGracePeriodSeconds"] < grace + 5:
        yield f"{KUBERNETES}: pods are killed before --grace and 5 s are over"
    own = worker["securityContext"]
    if not (pod["securityContext"].get("runAsNonRoot") and own.get("readOnlyRootFilesystem") and
            own.get("capabilities") == {"drop": ["ALL"]} and
            own.get("allowPrivilegeEscalation") is False):
        yield f"{KUBERNETES}: the worker has more rights than it needs"
    mounts = {mount["name"]: mount for mount in worker["volumeMounts"]}
    writable = {volume["name"] for volume in pod["volumes"] if "emptyDir" in volume}
    if "/tmp" not in {mounts[name]["mountPath"] for name in writable & set(mounts)}:
        yield f"{KUBERNETES}: the worker cannot write temporary files, which TIFF needs"
    if mounts["queue"].get("subPathExpr") != "$(POD_NAME)" or "--name=$(POD_NAME)" not in worker["args"]:
        yield f"{KUBERNETES}: a pod does not have its own name and credentials"


def scaling_problems(tree, scaled, stateful):
    """Checks that KEDA reads the consumers that submit makes."""
    spec = scaled["spec"]
    target = spec["scaleTargetRef"]
    if (target.get("apiVersion"), target.get("kind"), target["name"]) != (
            stateful["apiVersion"], stateful["kind"], stateful["metadata"]["name"]):
        yield f"{KUBERNETES}: KEDA scales {target}"
    if "replicas" in stateful["spec"]:
        yield f"{KUBERNETES}: replicas would overwrite those of KEDA"
    words = stateful["spec"]["template"]["spec"]["containers"][0]["args"]
    name = next(word.split("=")[1] for word in words if word.startswith("--set="))
    if '"SWATHE_JOBS_%s"' not in read(tree, "fleet/queue/sets.c"):
        yield "fleet/queue/sets.c: streams of jobs have another name now"
    priorities = int(re.search(r"QUEUE_PRIORITIES = (\d)", read(tree, "fleet/queue/queue.h")).group(1))
    seen = []
    for trigger in spec["triggers"]:
        fields = trigger["metadata"]
        if trigger["type"] != "nats-jetstream" or set(fields) - TRIGGER or not all(
                isinstance(value, str) for value in fields.values()):
            yield f"{KUBERNETES}: KEDA does not know the trigger {json.dumps(trigger)}"
        if fields.get("stream") != f"SWATHE_JOBS_{name}":
            yield f"{KUBERNETES}: the set {name} has no stream {fields.get('stream')}"
        seen.append(fields.get("consumer"))
    if sorted(seen) != [f"p{number}" for number in range(priorities)]:
        yield f"{KUBERNETES}: KEDA reads the consumers {seen}, not one for each priority"


def check_kubernetes(tree, _):
    text = read(tree, KUBERNETES)
    if "NEVER RUN" not in text:
        yield f"{KUBERNETES}: does not say that it never ran"
    try:
        import yaml
    except ImportError:
        skip("the Kubernetes manifest", "PyYAML is not installed")
        return
    documents = list(yaml.safe_load_all(text))
    kinds = {document["kind"]: document for document in documents}
    yield from schema_problems(documents)
    yield from worker_problems(tree, kinds["StatefulSet"])
    yield from scaling_problems(tree, kinds["ScaledObject"], kinds["StatefulSet"])


# ---- All ----------------------------------------------------------------------------------------


def used_options(tree):
    """The options of 'swathe-fleet worker' by file."""
    unit = re.search(r"^ExecStart=(.*)$", read(tree, UNIT), re.MULTILINE).group(1)
    slurm = read(tree, SLURM).split("exec swathe-fleet", 1)[1]
    manifest = read(tree, KUBERNETES).split("args:", 1)[1].split("env:", 1)[0]
    return {UNIT: unit, SLURM: slurm, KUBERNETES: manifest}


def check_options(tree, program):
    found = run([program, "worker", "--help"]) if program else None
    if not found or found.returncode != 0:
        skip("options of the worker", "this build has no 'swathe-fleet worker'")
        return
    known = set(re.findall(r"--[a-z][a-z-]*", found.stdout))
    for path, text in used_options(tree).items():
        for name in sorted(set(re.findall(r"--[a-z][a-z-]*", text)) - known):
            yield f"{path}: 'swathe-fleet worker' has no option {name}"


def check_secrets(tree, _):
    """No file may contain a credential, only places to put them."""
    for path in glob.glob(os.path.join(tree, "deploy", "*")):
        for number, line in enumerate(read(tree, path).splitlines(), 1):
            if SECRET.search(line) and not path.endswith(".conf"):
                yield f"{path}:{number}: looks like a credential"


CHECKS = {"unit": check_unit, "slurm": check_slurm, "container": check_container,
          "kubernetes": check_kubernetes, "options": check_options, "secrets": check_secrets}


def check(tree, program, names=tuple(CHECKS)):
    return [problem for name in names for problem in CHECKS[name](tree, program)]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--program")
    parser.add_argument("tree", nargs="?", default=os.path.join(here, "..", ".."))
    options = parser.parse_args()
    problems = check(os.path.abspath(options.tree), options.program)
    print("\n".join(problems))
    print(f"deploy: {', '.join(CHECKS)}: {len(problems)} problems")
    if problems:
        print(f"run it alone: {' '.join(map(os.path.abspath, sys.argv[:1]))}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
