#!/usr/bin/env bash
# Compiles every public header alone, in every language that the SDK promises, without a warning, and checks that the
# base header includes only <stddef.h> and <stdint.h>. Needs gcc and clang; uses nvcc if it is there, and reports if it
# is not.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
include=$root/sdk/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0
fail() { echo "headers: FAIL: $*" >&2; failed=1; }

cd "$include"
mapfile -t headers < <(find gpubench -name '*.h' | sort)
((${#headers[@]})) || fail "no headers in $include"

# alone HEADER LABEL COMMAND...: runs COMMAND, which compiles a file that includes only HEADER, twice
alone() {
  local header=$1 label=$2
  shift 2
  count=$((count + 1))
  "$@" -I"$include" >"$work/log" 2>&1 || fail "$header as $label: $(grep -m1 -E 'error|warning' "$work/log")"
}

# by CC CXX: compiles every header alone in all languages of the two compilers
by() {
  local cc=$1 cxx=$2 work=$work/$1 header std
  local strict=(-Wall -Wextra -Wpadded -Wpedantic -Wshadow -Wundef -Werror -fsyntax-only)
  mkdir "$work"
  for header in "${headers[@]}"; do
    printf '#include <%s>\n#include <%s>\nextern int unit;\nint unit = 0;\n' "$header" "$header" >"$work/unit.c"
    cp "$work/unit.c" "$work/unit.cpp"
    for std in c99 c11; do alone "$header" "$cc $std" "$cc" -std=$std "${strict[@]}" -Wstrict-prototypes "$work/unit.c"; done
    for std in c++11 c++17 c++20; do alone "$header" "$cxx $std" "$cxx" -std=$std "${strict[@]}" -Wold-style-cast "$work/unit.cpp"; done
  done
  return "$failed"
}
by gcc g++ &
by clang clang++ || failed=1
wait $! || failed=1
count=$((10 * ${#headers[@]})) # gcc's compilations ran in a background process with a separate count

# A plugin in the oldest supported C++, written with the helpers only.
cat >"$work/unit.cpp" <<'TEXT'
#include <gpubench/sugar.h>
static gb_sdk gb;
static gb_variant mine;
static gb_status mine_open(const gb_host *host, gb_registry *registry, void **) {
  gb_status status = gb_sdk_open(&gb, host);
  GB_CLEAR(mine);
  mine.name = "mine", mine.backend = "cpu", mine.math = "fp32";
  return status == GB_OK ? host->attach(host, registry, "example.org/mine/1", &mine) : status;
}
extern "C" const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("mine", "0.1.0", mine_open);
TEXT
for cxx in g++ clang++; do
  alone 'a plugin' "$cxx c++11" "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Wold-style-cast -Werror -fsyntax-only "$work/unit.cpp"
done

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [[ -n $nvcc ]]; then
  # One unit with all headers and the toolkit's own stream type: our pointer must convert to cudaStream_t.
  {
    for header in "${headers[@]}"; do echo "#include <$header>"; done
    echo 'cudaStream_t stream_of(const gb_cuda_ext *cuda, gb_case *c) { return cuda->stream(c); }'
  } >"$work/all.cu"
  # -Wpedantic and -Wold-style-cast would warn about nvcc's own headers and output.
  for std in c++11 c++17 c++20; do
    alone 'all headers' "nvcc $std" "$nvcc" -std=$std -Xcompiler -Wall,-Wextra,-Wpadded,-Werror \
      -Werror all-warnings -c -o "$work/all.o" "$work/all.cu"
  done
else
  echo "headers: skipped: nvcc (not installed)"
fi

# Checks the direct includes of gpubench.h as the compiler sees them (depth 2 of -H). What those two headers include
# depends on the system.
for cc in gcc clang; do
  printf '#include <gpubench/gpubench.h>\n' >"$work/unit.c"
  closure=$("$cc" -std=c99 -fsyntax-only -H -I"$include" "$work/unit.c" 2>&1 | sed -n 's,^\.\. .*/,,p' | sort -u | xargs)
  [[ $closure == "stddef.h stdint.h" ]] || fail "gpubench.h includes '$closure', expected 'stddef.h stdint.h' ($cc)"
done
# An extension header may include only the base header.
for header in gpubench/ext/*.h; do
  extra=$(grep -E '^ *# *include' "$header" | grep -v '"../gpubench.h"' || true)
  [[ -z $extra ]] || fail "$header: $extra"
done

# Checks the constants that generators of bindings read from the headers.
python3 -B "$root/tests/abi/constants.py" "$include" || failed=1

((failed)) || echo "headers: ok: ${#headers[@]} headers, $count compilations"
exit "$failed"
