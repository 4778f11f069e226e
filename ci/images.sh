#!/usr/bin/env bash
# images.sh TREE [ARCHITECTURES]
# Prints, by cuobjdump, what the kernels in TREE (an install or an unpacked TGZ) are compiled for: for each file that
# holds kernels its size, the architectures with machine code, and those with PTX for later devices. Fails if one of
# ARCHITECTURES ("80-real;90a-real;120") is missing. Exits with 77 if there is no cuobjdump, which some toolkits lack.
set -euo pipefail
tree=${1:?usage: $0 TREE [ARCHITECTURES]} architectures=${2:-}
PATH=$PATH:/usr/local/cuda/bin
command -v cuobjdump >/dev/null || { echo "images: not checked: there is no cuobjdump here"; exit 77; }

# listed elf|ptx FILE: prints the architectures in FILE, sorted
listed() { cuobjdump --list-"$1" "$2" 2>/dev/null | sed -nE 's/.*\.sm_([0-9]+[a-z]?)\.(cubin|ptx)$/\1/p' | sort -Vu; }

failed=0
for file in "$tree/bin/gpubench" "$tree"/lib/gpubench/plugins/*.so; do
  code=$(listed elf "$file") ptx=$(listed ptx "$file")
  [[ -n $code$ptx ]] || continue
  printf '%-18s %6d KiB  code: %s  PTX: %s\n' "${file##*/}" $(($(stat -c %s "$file") / 1024)) "${code//$'\n'/ }" "${ptx//$'\n'/ }"
  for wanted in ${architectures//;/ }; do
    [[ $wanted == *-virtual ]] || grep -qx "${wanted%-real}" <<<"$code" || { echo "FAIL: no code for ${wanted%-real}"; failed=1; }
    [[ $wanted == *-real ]] || grep -qx "${wanted%-virtual}" <<<"$ptx" || { echo "FAIL: no PTX for ${wanted%-virtual}"; failed=1; }
  done
done
exit $failed
