#!/usr/bin/env bash
# tests/gpu/cheats.sh TREE [OPTIONS OF tests/cheats/run.py...]
# Checks that kernels that cheat on a GPU are caught, each by the rule meant for it, and that honest variants measured
# with them lose nothing. `cheats.sh TREE --battery [OPTIONS OF tests/cheats/battery.py...]` checks that cheating guests
# of bundled benches earn no verdict and that their honest twins keep theirs; the guests in Python need PyTorch. TREE is
# a build tree. `--times 5 --keep DIR` repeats the test. It can run in pieces, with `--part 1/3` or with `--seconds 500`
# (exit status 75: run the same command again to continue), and it continues after an interruption. Exits with 77
# without a GPU.
set -euo pipefail
tree=${1:?usage: $0 TREE [OPTIONS]}
here=$(cd "$(dirname "$0")" && pwd)
shift
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
if [[ ${1-} == --battery ]]; then
  exec python3 -B "$here/../cheats/battery.py" "$tree" --device cuda:0 "${@:2}"
fi
exec python3 -B "$here/../cheats/run.py" "$tree" --list "$here/cheats.list" --device cuda:0 "$@"
