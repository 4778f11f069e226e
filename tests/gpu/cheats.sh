#!/usr/bin/env bash
# tests/gpu/cheats.sh TREE [OPTIONS OF tests/cheats/run.py...]: kernels that cheat on a GPU are caught, each by its own rule,
# and honest neighbours lose nothing. `cheats.sh TREE --battery [OPTIONS OF tests/cheats/battery.py...]`: guests of bundled benches earn no
# word, and their honest twins keep theirs; those in Python need PyTorch. TREE is a build tree. `--times 5 --keep DIR` repeats it; in pieces, with `--part 1/3`, or
# with `--seconds 500` (exit 75: the same command goes on), or where it is interrupted. Exit 77 without a GPU.
set -euo pipefail
tree=${1:?usage: $0 TREE [OPTIONS]}
here=$(cd "$(dirname "$0")" && pwd)
shift
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
if [[ ${1-} == --battery ]]; then
  exec python3 -B "$here/../cheats/battery.py" "$tree" --device cuda:0 "${@:2}"
fi
exec python3 -B "$here/../cheats/run.py" "$tree" --list "$here/cheats.list" --device cuda:0 "$@"
