#!/usr/bin/env bash
# Runs a command on a Slurm cluster of three nodes that exists only on this host and only for the command.
#
#   cluster.sh COMMAND…
#   cluster.sh --check      says what is missing here; succeeds when nothing is
#
# The command runs on the cluster's controller: there are sinfo, salloc and srun, and an sshd on node1, node2 and node3. It finds
# in $CLUSTER the folder with
#   user_key, known_hosts   for ssh
#   node.K                  the id of node K's first process: SIGKILL is a power cut, `cluster.sh power-on K` powers it on again
#   *.log                   what the daemons say
# and can cut node K's network by `ip link set hK down`.
#
# Everything is in namespaces of its own: the host's network and processes are not touched, and the kernel ends all of it with
# the first process. Each node has a network (10.77.0.K), a host name, a machine id, processes, /run and /dev/shm of its own. The two GPUs for
# each node that Slurm is told of do not exist. Needs root, and Debian's slurm-wlm, munge and openssh-server.
set -euo pipefail
script=$(realpath "$0")
nodes=3

wait_for() { # COMMAND…: until it succeeds
    local _
    for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done
    echo "cluster.sh: timed out: $*; see $CLUSTER" >&2
    return 1
}

# --- files ------------------------------------------------------------------------------------------------------------
write_slurm_conf() {
    cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=control(10.77.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge.socket
CredType=cred/munge
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool.%n
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd.%n.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdLogFile=$CLUSTER/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
GresTypes=gpu
ReturnToService=2
KillWait=5
SlurmdParameters=config_overrides
NodeName=DEFAULT CPUs=$(nproc) RealMemory=1000 Gres=gpu:test:2 Feature=test,small State=UNKNOWN
$(for k in $(seq $nodes); do echo "NodeName=node$k NodeAddr=10.77.0.$k"; done)
PartitionName=lab Nodes=ALL Default=YES MaxTime=1:00:00 DefaultTime=0:10:00 DefMemPerCPU=100 State=UP
END
    echo "NodeName=node[1-$nodes] Name=gpu Type=test File=$CLUSTER/gpu[0-1]" >"$CLUSTER/gres.conf"
    for gpu in 0 1; do mknod "$CLUSTER/gpu$gpu" c 1 3; done # gres.conf wants device files: these are copies of /dev/null
}

write_ssh_files() {
    ssh-keygen -q -t ed25519 -N '' -f "$CLUSTER/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$CLUSTER/user_key"
    cat >"$CLUSTER/sshd_config" <<END
HostKey $CLUSTER/host_key
AuthorizedKeysFile $CLUSTER/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UseDNS no
END
    for k in $(seq $nodes); do echo "node$k $(cut -d' ' -f1,2 "$CLUSTER/host_key.pub")"; done >"$CLUSTER/known_hosts"
}

write_hosts() {
    for k in $(seq $nodes); do echo "10.77.0.$k node$k"; done
    echo "10.77.0.254 control"
    grep -v '10\.77\.' /etc/hosts
}

# --- nodes ------------------------------------------------------------------------------------------------------------
# Daemons have no output of their own, so that nobody waits for its end.
start_sshd() { /usr/sbin/sshd -D -E "$CLUSTER/sshd.$1.log" -f "$CLUSTER/sshd_config" </dev/null >/dev/null 2>&1 & }
start_slurmd() { slurmd -D -N "node$1" </dev/null >/dev/null 2>&1 & }

run_node() { # K: in the namespaces of node K, until its power is cut
    local k=$1 file
    hostname "node$k"
    mount -t tmpfs none /run
    mount -t tmpfs none /dev/shm
    mkdir /run/sshd /run/lock
    echo "00000000000000000000000000000c0$k" >"$CLUSTER/machine-id.$k" # the ids of devices are made of it
    for file in /etc/machine-id /var/lib/dbus/machine-id /sys/class/dmi/id/product_uuid; do
        [ ! -e $file ] || mount --bind "$CLUSTER/machine-id.$k" $file
    done
    ip link set lo up
    wait_for ip link show "e$k"
    ip addr add "10.77.0.$k/24" dev "e$k"
    ip link set "e$k" up
    start_sshd "$k"
    start_slurmd "$k"
    while :; do wait || true; sleep 1; done
}

start_node() { # K
    local k=$1 outer
    unshare --net --uts --mount --pid --fork --kill-child --mount-proc "$script" inside "$k" \
        </dev/null >"$CLUSTER/node.$k.log" 2>&1 &
    outer=$!
    wait_for pgrep -P $outer
    pgrep -P $outer >"$CLUSTER/node.$k"
    ip link delete "h$k" 2>/dev/null || true # connections of the processes that were killed may hold it
    ip link add "h$k" type veth peer name "e$k" netns "$(cat "$CLUSTER/node.$k")"
    ip link set "h$k" master cluster up
}

# --- the controller ---------------------------------------------------------------------------------------------------
all_idle() { [ "$(sinfo --noheader --Node --states=idle --format=%N | wc -l)" = $nodes ]; }

run_controller() { # COMMAND…
    hostname control
    ip link set lo up
    ip link add cluster type bridge
    ip addr add 10.77.0.254/24 dev cluster
    ip link set cluster up
    write_hosts >"$CLUSTER/hosts"
    mount --bind "$CLUSTER/hosts" /etc/hosts
    write_slurm_conf
    write_ssh_files
    (umask 077 && head -c 128 /dev/urandom >"$CLUSTER/munge.key")
    munged --foreground --force --key-file="$CLUSTER/munge.key" --socket="$CLUSTER/munge.socket" \
        --pid-file="$CLUSTER/munge.pid" --seed-file="$CLUSTER/munge.seed" --log-file="$CLUSTER/munge.log" </dev/null 2>/dev/null &
    wait_for test -S "$CLUSTER/munge.socket"
    mkdir "$CLUSTER/state"
    slurmctld -D -i </dev/null >/dev/null 2>&1 &
    for k in $(seq $nodes); do start_node "$k"; done
    wait_for all_idle
    "$@"
}

check() {
    local program
    [ "$(id -u)" = 0 ] || { echo "it needs root" && return 1; }
    for program in slurmctld slurmd srun munged sshd ssh-keygen ip nsenter; do
        type -P $program >/dev/null || { echo "it needs $program (Debian: slurm-wlm munge openssh-server iproute2)" && return 1; }
    done
    unshare --net --uts --mount --pid --fork --mount-proc mount -t tmpfs none /run 2>/dev/null || { echo "namespaces are not allowed here" && return 1; }
}

case ${1:-} in
--check) check ;;
controller) run_controller "${@:2}" ;;
inside) run_node "$2" ;;
start-sshd | start-slurmd) "${1/-/_}" "$2" ;; # in node K
power-on) start_node "$2" ;;
'') sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" ;;
*)
    CLUSTER=$(mktemp -d /tmp/gpulab-cluster-XXXXXX)
    export CLUSTER SLURM_CONF=$CLUSTER/slurm.conf
    trap 'rm -rf "$CLUSTER"' EXIT
    chmod 755 "$CLUSTER" # munged insists
    unshare --net --uts --mount --pid --fork --kill-child --mount-proc "$script" controller "$@"
    ;;
esac
