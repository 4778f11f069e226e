#!/bin/sh
# prolog.sh
# As Prolog= of slurm.conf: a node that `gpubench doctor` calls unfit takes no job, it is drained and the job goes back to the queue. What was
# found goes to syslog. A doctor that cannot be asked (not installed, a bad command line) takes no node out. Options for it, such as
# --strict, stand in GPUBENCH_DOCTOR; PATH is the site's matter, a Prolog has none.
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}
# shellcheck disable=SC2086 # several options
found=$(gpubench doctor $GPUBENCH_DOCTOR 2>&1)
status=$?
[ "$status" -eq 0 ] || printf '%s\n' "$found" | logger -t gpubench-doctor 2>/dev/null
[ "$status" -ne 6 ]
