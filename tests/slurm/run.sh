#!/usr/bin/env bash
# run.sh BUILD
# Runs ci/slurm under a real slurmctld, slurmd and munge on this machine, configured with 32 CPUs and four GPUs that
# need not exist. Tests that an array of four jobs and its merge give the same rows and verdicts as a single run; that a
# requeued job resumes; that a missing shard fails the merge; and that a node that doctor calls unfit is drained. Needs
# root and Debian's slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins and munge.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
chmod 755 "$work"
export PATH=$build/bin:$PATH SLURM_CONF=$work/slurm.conf
mkdir "$work"/{spool,state,munge,jobs}
say() { printf 'slurm: %s\n' "$*"; }
die() { say "$*" >&2; for log in "$work"/*.log "$work"/jobs/*.log; do tail -n 20 "$log" >&2; done; exit 1; }
pids=()
trap '((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null; wait; [[ -n ${KEEP:-} ]] || rm -rf "$work"' EXIT

# until_true SECONDS COMMAND...: repeats COMMAND until it succeeds, at most for that long
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

port=$((20000 + RANDOM % 20000))
host=$(hostname -s)
touch "$work"/gpu{0..3}
cat >"$work/slurm.conf" <<EOF
ClusterName=gpubench
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthInfo=socket=$work/munge/socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
ReturnToService=2
GresTypes=gpu
KillWait=30
Prolog=$work/prolog
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=32 RealMemory=1000 Gres=gpu:4
PartitionName=all Nodes=$host Default=YES MaxTime=60 State=UP
EOF
echo "NodeName=$host Name=gpu File=$work/gpu[0-3]" >"$work/gres.conf"
printf '#!/bin/sh\nexport PATH=%q GPUBENCH_DOCTOR="$(cat %q)"\nexec %q\n' "$PATH" "$work/doctor" "$root/ci/slurm/prolog.sh" >"$work/prolog"
mkdir -p "$work/fit"
echo "--root $work/fit" >"$work/doctor"
chmod +x "$work/prolog"
head -c 1024 /dev/urandom >"$work/key"
chown -R munge: "$work/munge" "$work/key"
chmod 700 "$work/munge" && chmod 755 "$work/munge" && chmod 400 "$work/key"
(cd /tmp && exec runuser -u munge -- munged --foreground --key-file="$work/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --seed-file="$work/munge/seed" --log-file="$work/munge/log") >"$work/munged.log" 2>&1 &
pids+=($!)
until_true 60 test -S "$work/munge/socket" || die "munged does not start"
slurmctld -D >"$work/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -N "$host" >"$work/slurmd.log" 2>&1 &
pids+=($!)
state() { sinfo -h -o %T 2>/dev/null; }
is_idle() { [[ $(state) == idle ]]; }
until_true 120 is_idle || die "the node does not come up: $(state)"
say "a node with four GPUs is up"

cd "$work/jobs"
for template in "$root"/ci/slurm/*.sbatch; do
  sbatch --test-only "$template" a b >"$work/log" 2>&1 || die "$template is not accepted: $(<"$work/log")"
done
say "sbatch --test-only accepts the templates"

# ---- An array of four, and its merge ----
cat >"$work/device.ini" <<'EOF'
[device]
name = Test GPU
uuid = GPU-a
tick_ns = 32
seed = 3
[twice]
ns = 100000
sample_sd = 0.004
slot_sd = 0.001
[*]
ns = 50000
sample_sd = 0.004
slot_sd = 0.001
EOF
plugin=$build/tests/plugins/ok_vector.so
args=("$plugin" -a n=8:512:x2 --device "fake:$work/device.ini" --case-time 600 --ceilings off)
gpubench "${args[@]}" --out "$work/whole" >"$work/log" 2>&1 || die "the run in one piece: $(tail -3 "$work/log")"
ended() { # ended JOB: waits until the job has ended and prints its state and exit code
  while squeue -h -j "$1" 2>/dev/null | grep -q .; do sleep 0.3; done
  scontrol -o show job "$1" | sed -nE 's/.*JobState=(\S+) .*ExitCode=(\S+) .*/\1 \2/p' | sort | uniq -c | sed 's/^ *//'
}
array=$(sbatch --parsable --array=1-4 "$root/ci/slurm/gpubench.sbatch" "$work/out" "${args[@]}")
merge=$(sbatch --parsable --dependency="afterany:$array" "$root/ci/slurm/merge.sbatch" "$work/out" 4)
got=$(ended "$array")
[[ $got == "4 COMPLETED 0:0" ]] || die "the array: $got"
got=$(ended "$merge")
[[ $got == "1 COMPLETED 0:0" ]] || die "the merge: $got"
for run in whole out/all; do gpubench report "$work/$run" --json "$work/words.json" -q >/dev/null && mv "$work/words.json" "$work/${run%%/*}.json"; done
python3 - "$work/whole.json" "$work/out.json" <<'EOF' || die "the array does not say what the run in one piece says"
import json, sys
what = ("case_key", "variant", "mode", "status", "verdict", "fastest", "baseline")
a, b = ([[row[w] for w in what] for row in json.load(open(name))["rows"]] for name in sys.argv[1:])
assert a == b and len(a) > 10, (a, b)
print(f"slurm: {len(a)} rows: keys and words of the array are those of the run in one piece")
EOF

# ---- A missing shard ----
mv "$work/out/3" "$work/out/away"
rm -r "$work/out/all"
got=$(ended "$(sbatch --parsable "$root/ci/slurm/merge.sbatch" "$work/out" 4)")
[[ $got == "1 FAILED 2:0" && ! -e $work/out/all ]] || die "the merge without a shard: $got"
say "a missing shard fails the merge: $(grep -h ^gpubench: gpubench-*.log | tail -1)"

# ---- A job that is requeued while it runs ----
# Eight cases of a second or more on the CPU.
job=$(sbatch --parsable "$root/ci/slurm/gpubench.sbatch" "$work/again" "$plugin" -a n=1k:128k:x2 --device cpu --ceilings off --precision 0.00001 \
  --case-time 2 --max-time 600)
rows=$work/again/1/results.csv
measured() { [[ -e $rows ]] && (($(wc -l <"$rows") > 8)); }
until_true 300 measured || die "no case was measured"
scontrol requeue "$job"
requeued() { scontrol -o show job "$job" | grep -q 'Restarts=1 '; }
until_true 60 requeued || die "the job was not queued again"
held() { ! scontrol -o show job "$job" | grep -q 'JobState=\(COMPLETING\|RUNNING\)'; }
until_true 60 held || true
sleep 2 # slurmd refuses a credential from the second in which it revoked the last one
cp "$rows" "$work/before.csv"
scontrol release "$job" 2>/dev/null || true
scontrol update jobid="$job" StartTime=now 2>/dev/null || true
got=$(ended "$job")
[[ $got == "1 COMPLETED 0:0" ]] || die "the job that was queued again: $got"
python3 - "$work/before.csv" "$rows" <<'EOF' || die "what had been measured was lost"
import csv, sys
def read(name):
    return [row for row in csv.DictReader(line for line in open(name) if not line.startswith("#"))]
before, after = map(read, sys.argv[1:])
key = lambda row: row["case_key"]
kept = [row for row in before if row["status"] == "ok" and row in after]
lost = {key(row) for row in before if row["status"] == "ok"} - {key(row) for row in kept}
assert kept and len(lost) <= 1, (len(kept), lost)
assert len({key(row) for row in after}) == 8 and all(row["status"] == "ok" for row in after), after
print(f"slurm: queued again with {len(kept)} rows measured: {len(lost)} cases lost, 8 of 8 there in the end")
EOF

# ---- An unfit node ----
mkdir -p "$work/unfit/sys/bus/pci/devices/0000:3b:00.0"
cd "$work/unfit/sys/bus/pci/devices/0000:3b:00.0" && echo 0x10de >vendor && echo 0x030200 >class && echo 0x2335 >device
cd "$work/jobs"
gpubench doctor --root "$work/unfit" >"$work/log" 2>&1 && die "doctor calls a machine fit that has a GPU and no driver"
(($? == 6)) || true
echo "--root $work/unfit" >"$work/doctor"
job=$(sbatch --parsable --gres=gpu:1 --wrap true)
drained() { [[ $(state) == drain* ]]; }
until_true 60 drained || die "the node is not drained: $(state)"
say "a node that is unfit is drained: $(sinfo -h -o '%T, %E')"
scancel "$job"
say ok
