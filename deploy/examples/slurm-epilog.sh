#!/bin/bash
# Says in a lab when a job of Slurm was on a node, as a mark in the trends: what measured slower meanwhile has a reason. In slurm.conf,
# both of (where several programs are wanted, in a folder whose files are all run):
#
#   Prolog=/usr/local/sbin/slurm-epilog.sh    # "job 4711 of ada began"
#   Epilog=/usr/local/sbin/slurm-epilog.sh    # "job 4711 of ada ended"
#
# Slurm sets SLURM_SCRIPT_CONTEXT, SLURM_JOB_ID, SLURM_JOB_USER and SLURMD_NODENAME. The lab is that of GPULAB_SERVER and GPULAB_TOKEN_FILE,
# a token of an operator, which are read from /etc/default/gpulab-marks. A lab that does not answer within 5 s is left out: no job waits
# for it or fails.
set -uo pipefail
settings=${GPULAB_MARKS_SETTINGS:-/etc/default/gpulab-marks}
# shellcheck source=/dev/null
[ ! -r "$settings" ] || . "$settings"
[ -n "${GPULAB_SERVER:-}" ] || exit 0
case ${SLURM_SCRIPT_CONTEXT:-} in
prolog*) word=began ;;
*) word=ended ;;
esac
# The curl configuration keeps the token out of the list of processes.
authorization=
[ ! -r "${GPULAB_TOKEN_FILE:-}" ] || authorization="header = \"Authorization: Bearer $(tr -d '[:space:]' <"$GPULAB_TOKEN_FILE")\""
body=$(jq -cn --arg text "job ${SLURM_JOB_ID:-?} of ${SLURM_JOB_USER:-?} $word" --arg node "${SLURMD_NODENAME:-$(hostname -s)}" '{$text, $node}')
printf '%s\n' "$authorization" | curl --silent --show-error --fail --max-time 5 --config - --output /dev/null \
    -H 'Content-Type: application/json' -d "$body" "$GPULAB_SERVER/api/v1/marks" || true
exit 0
