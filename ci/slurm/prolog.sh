#!/bin/sh
# prolog.sh
# For Prolog= of slurm.conf. A node that `gpubench doctor` calls unfit takes no job: it is drained, and the job goes
# back to the queue. The findings go to syslog. If the doctor itself fails (not installed, a bad command line), the node
# stays in service. GPUBENCH_DOCTOR holds options for it, such as --strict. The site must set PATH if gpubench is
# elsewhere: a Prolog has none.
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}
# shellcheck disable=SC2086 # several options
found=$(gpubench doctor $GPUBENCH_DOCTOR 2>&1)
status=$?
[ "$status" -eq 0 ] || printf '%s\n' "$found" | logger -t gpubench-doctor 2>/dev/null
[ "$status" -ne 6 ]
