#!/bin/bash
# Checks the GPUs of this node with `gpulab health --quick`, for Slurm. In slurm.conf, either of:
#
#   HealthCheckProgram=/usr/local/sbin/slurm-health.sh    # with HealthCheckInterval=3600 HealthCheckNodeState=IDLE
#   Prolog=/usr/local/sbin/slurm-health.sh                # where jobs get whole nodes: others would disturb the check
#
# Writes the verdict to the system log, and changes nothing unless the site wants it to: with GPULAB_HEALTH_DRAIN=yes it
# drains an unhealthy node, with a reason that begins with "gpulab: ", and a prolog then fails, so that Slurm requeues the
# job. A node that has the reason of another tool, or of a person, keeps it. Nothing is drained where no verdict was reached,
# and no node is resumed.
#
# Slurm starts these programs with few variables; they are read from /etc/default/gpulab-health, if there is one:
#   GPULAB_HEALTH_DRAIN     yes: drain unhealthy nodes
#   GPULAB_HEALTH_OPTIONS   options of `gpulab health`, such as --db /var/lib/gpulab/health.db, where the history is kept
#   GPULAB_HEALTH_TIMEOUT_S a check that takes longer is given up; 60 by default
#   GPULAB_RUNTIME          cuda by default, so that a node without GPUs, or whose GPUs are gone, gets no verdict about its CPU
set -uo pipefail
settings=${GPULAB_HEALTH_SETTINGS:-/etc/default/gpulab-health}
# shellcheck source=/dev/null
[ ! -r "$settings" ] || . "$settings"
node=${SLURMD_NODENAME:-$(hostname -s)}
seconds=${GPULAB_HEALTH_TIMEOUT_S:-60}
export GPULAB_RUNTIME=${GPULAB_RUNTIME:-cuda}

log() { # LEVEL TEXT
    logger --tag gpulab-health --priority "daemon.$1" -- "$2" 2>/dev/null || echo "gpulab-health: $2" >&2
}

# The options are words, which the shell splits.
# shellcheck disable=SC2086
output=$(timeout "$seconds" gpulab health --quick ${GPULAB_HEALTH_OPTIONS:-} 2>&1)
code=$?
case $code in
0) log info "$output" && exit 0 ;;
1) log err "$output" ;;
124) log warning "no verdict within $seconds s" && exit 0 ;;
*) log warning "no verdict, exit code $code: $output" && exit 0 ;;
esac
[ "${GPULAB_HEALTH_DRAIN:-no}" = yes ] || exit 0

# The reason is at the end of the line, before the person and time in brackets.
present=$(scontrol --oneliner show node "$node" | sed -n 's/.* Reason=\(.*\)/\1/p')
found=$(sed -n 's/^failure: //p' <<<"$output" | head -n 1)
case $present in
'' | 'gpulab: '*)
    scontrol update "NodeName=$node" State=DRAIN "Reason=gpulab: ${found:0:200}" && log err "$node is drained" ;;
*) log warning "$node is not drained, because it has a reason: $present" ;;
esac
[ -z "${SLURM_JOB_ID:-}" ] # fails in a prolog
