#!/usr/bin/env bash
# tests/cheats/examples.sh TREE EXAMPLE...
# Builds the SDK's examples against an install of the build tree TREE, into TREE/examples/EXAMPLE, where honest.py looks
# for them. The examples are those of the source tree that TREE was built from.
set -euo pipefail
tree=$(cd "${1:?usage: $0 TREE EXAMPLE...}" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$tree" --prefix "$prefix" >"$prefix/log"
[[ -n ${CUDACXX:-} ]] || command -v nvcc >/dev/null || export CUDACXX=/usr/local/cuda/bin/nvcc
for example in "${@:2}"; do
  cmake -S "$prefix/share/gpubench/examples/$example" -B "$tree/examples/$example" -DCMAKE_PREFIX_PATH="$prefix" >"$prefix/log" 2>&1 &&
    cmake --build "$tree/examples/$example" >>"$prefix/log" 2>&1 || { cat "$prefix/log"; exit 1; }
done
