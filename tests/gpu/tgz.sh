#!/usr/bin/env bash
# tests/gpu/tgz.sh TGZ [OUT]
# Tests the TGZ on a machine with a GPU and nothing installed: unpacks it and runs it in the environment of a first
# login. It must bring the libraries that it needs, and every plugin's quick cases must be right and timed. The script
# builds a new plugin in CUDA and guests of matmul and attention in an empty folder by the commands that `new` prints,
# checks and runs them, and prints the architectures that each file is compiled for (ci/images.sh). It takes two
# minutes. Exits with 77 without a GPU.
set -uo pipefail
tgz=$(realpath "${1:?usage: $0 TGZ [OUT]}")
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# the driver's library may be found only through this variable
clean=(env -i HOME="$work" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  ${CUDA_VISIBLE_DEVICES:+CUDA_VISIBLE_DEVICES="$CUDA_VISIBLE_DEVICES"})
ldconfig -p | grep -q 'libcuda\.so\.1' || clean+=(LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}")

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 start=$SECONDS rc verdict=ok
  shift
  "$@" >"$out/$name.log" 2>&1 </dev/null
  rc=$?
  ((rc == 0)) || { verdict=FAILED failed=1; }
  printf '%-22s %-6s (exit %d) %3d s  %s\n' "$name" $verdict $rc $((SECONDS - start)) "$(grep -E '^(status|check)' "$out/$name.log" | tail -1)"
  ((rc == 0)) || tail -3 "$out/$name.log"
}

# follow NAME OWNER ARGUMENT...: creates a new plugin and runs the commands that are printed for it; a guest's run
# includes its owner's variants
follow() (
  name=$1 owner=$2
  shift 2
  cd "$work" && export PATH=$tree/bin:$PATH
  mapfile -t commands < <(gpubench new "$name" --lang cuda "$@" | sed 1d)
  timeout 90 sh -exc "${commands[0]}; ${commands[1]}
    gpubench check $owner ./$name/build/$name.so --max-time 20s
    ${commands[2]} --no-save ${owner:+--quick --max-time 15s}"
)

nvidia-smi --query-gpu=name,driver_version,power.limit --format=csv,noheader
tar -C "$work" -xzf "$tgz" || exit 1
tree=$(echo "$work"/gpubench-*)
printf '%s: %d KiB, unpacked %d KiB\n' "${tgz##*/}" $(($(stat -c %s "$tgz") / 1024)) "$(du -sk "$tree" | cut -f1)"
for file in "$tree/bin/gpubench" "$tree"/lib/gpubench/gpubench-diagram "$tree"/lib/gpubench/plugins/*.so; do
  "${clean[@]}" ldd "$file" | grep "not found" && { echo "FAILED: ${file##*/} lacks that"; failed=1; }
done

plugins=$(cd "$tree/lib/gpubench/plugins" && echo ./*.so)
for plugin in $plugins; do
  plugin=$(basename "$plugin" .so)
  check "verify-$plugin" "${clean[@]}" timeout 60 "$tree/bin/gpubench" "$plugin.so" --quick --no-save --verify-only --max-time 12s
done
check new follow demo ''
check new-matmul follow mm matmul.so --guest matmul
check new-attention follow att attention.so --guest attention/forward
for plugin in $plugins; do
  plugin=$(basename "$plugin" .so)
  check "quick-$plugin" "${clean[@]}" timeout 60 "$tree/bin/gpubench" "$plugin.so" --quick --no-save --max-time 10s
done
"$here/../../ci/images.sh" "$tree" | tee "$out/images.txt"
exit $failed
