#!/bin/bash
# Workers as a Slurm job array: one worker on each node, with all CPUs of its allocation.
#
#   export SWATHE_QUEUE=tls://queue1:4222,tls://queue2:4222 SWATHE_SET=photos
#   sbatch --array=0-15 --export=SWATHE_QUEUE,SWATHE_SET \
#       deploy/slurm-worker.sh --allow s3://bucket/in/ --allow s3://bucket/out/
#
# Arguments of the script are options of 'swathe-fleet worker'. Credentials never are: Slurm stores
# command lines and environments, with --export=ALL also a secret key that is exported. They come
# from files of the user, with mode 0600:
#   ~/.aws/credentials                 the store
#   ~/.config/swathe/slurm-N.creds     the queue; the user may publish as slurm-N only. Or
#   ~/.config/swathe/nats.env          lines SWATHE_NATS_USER=... and SWATHE_NATS_PASSWORD=...
#
# Before the time limit Slurm sends SIGTERM to the worker, which gives its jobs back to the queue. A
# worker that finds no job for two minutes ends, so that nodes do not idle.
#SBATCH --job-name=swathe-worker
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=2G
#SBATCH --time=08:00:00
#SBATCH --signal=B:TERM@90
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=swathe-worker-%A-%a.log
set -euo pipefail

fail() {
    echo "slurm-worker.sh: $*" >&2
    exit 2
}

# Refuses a file with credentials that others can read.
check_private() {
    local mode
    mode=$(stat -L -c %a "$1")
    [[ $mode == ?00 ]] || fail "$1 has mode $mode; make it private with: chmod 600 $1"
}

[ -n "${SWATHE_QUEUE:-}" ] || fail "set SWATHE_QUEUE, such as tls://queue:4222"
[ -n "${SWATHE_SET:-}" ] || fail "set SWATHE_SET to the name of the set"
[ -n "${SLURM_ARRAY_TASK_ID:-}" ] || fail "run it as a job array: sbatch --array=0-15 ..."
ulimit -c 0 # a core file would contain credentials

name=slurm-$SLURM_ARRAY_TASK_ID
files=${XDG_CONFIG_HOME:-$HOME/.config}/swathe
if [ -f "$files/$name.creds" ]; then
    check_private "$files/$name.creds"
    export NATS_CREDS=$files/$name.creds
elif [ -f "$files/nats.env" ]; then
    check_private "$files/nats.env"
    set -a
    # shellcheck source=/dev/null
    . "$files/nats.env"
    set +a
fi
[ ! -f "$HOME/.aws/credentials" ] || check_private "$HOME/.aws/credentials"

# exec: the signal of --signal=B: must reach the worker.
exec swathe-fleet worker --queue "$SWATHE_QUEUE" --set "$SWATHE_SET" --name "$name" --log json \
    --idle 2m --grace 60s "$@"
