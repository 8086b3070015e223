#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A small Slurm on this machine: starts its daemons, runs a command that calls srun or sbatch, and stops them.
set -u
usage() {
    cat <<'END'
usage: run [--nodes N] -- COMMAND ...
Runs COMMAND, as root, where srun and sbatch know N nodes (2) of 8 cores, h0, h1, ...  All are this machine, by other
host names.
Status: the command's; 77 where Slurm is not installed or does not start.
END
}
cannot() { echo "tests/slurm/slurm.sh: NOT RUN: $1" >&2; exit 77; }

nodes=2
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage; exit 0 ;;
    --nodes) nodes=$2; shift 2 ;;
    --) shift; break ;;
    *) echo "tests/slurm/slurm.sh: $1 is no option (try --help)" >&2; exit 1 ;;
    esac
done
[ $# -gt 0 ] || { echo "tests/slurm/slurm.sh: there is no command (try --help)" >&2; exit 1; }
for program in munged slurmctld slurmd srun; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || cannot "there is no $program (Debian: munge, slurm-wlm)"
done

# Ports and folders of its own: several may run.
work=$(mktemp -d) || exit 1
chmod 755 "$work"
mkdir "$work/munge" "$work/state" "$work/log" "$work/spool" && chmod 700 "$work/munge" || exit 1
stop() {
    scancel -u root 2>/dev/null
    # The daemons, and what they have started.
    for signal in TERM KILL; do
        for process in /proc/[0-9]*; do
            [ "${process#/proc/}" != $$ ] && grep -qs "$work" "$process/environ" "$process/cmdline" && kill -$signal "${process#/proc/}"
        done 2>/dev/null
        sleep 1
    done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 143' HUP INT TERM
port=$((20000 + $$ % 10000 * 3))
host=$(hostname -s)
export SLURM_CONF="$work/slurm.conf" # which tells what is ours, too
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2>/dev/null && chmod 400 "$work/munge/key"
/usr/sbin/munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/munge.pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/log/munged" 2>&1 || { cat "$work/log/munged" >&2; cannot "munged"; }
cat >"$SLURM_CONF" <<END
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=$port
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/controller.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/log/controller
SlurmdLogFile=$work/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=pmi2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
END
i=0
while [ $i -lt "$nodes" ]; do
    echo "NodeName=h$i NodeHostname=h$i NodeAddr=127.0.0.1 Port=$((port + 1 + i)) CPUs=8"
    i=$((i + 1))
done >>"$SLURM_CONF"
echo "PartitionName=all Nodes=h[0-$((nodes - 1))] Default=YES MaxTime=INFINITE State=UP" >>"$SLURM_CONF"
/usr/sbin/slurmctld -c >"$work/log/start" 2>&1 || { cat "$work/log/start" >&2; cannot "slurmctld"; }
i=0
while [ $i -lt "$nodes" ]; do
    unshare --uts --ipc sh -c 'hostname $0 && exec /usr/sbin/slurmd -N $0' "h$i" >>"$work/log/start" 2>&1 || { cat "$work/log/start" >&2; cannot "slurmd"; }
    i=$((i + 1))
done
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" = "$nodes" ] && break
    [ $attempt != 15 ] || { sinfo -N -l >&2; tail -n 5 "$work"/log/* >&2; cannot "the nodes are not idle"; }
    sleep 1
done
"$@"
