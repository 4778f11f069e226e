#!/usr/bin/env bash
# make.sh 1.N [FILE]
# Makes the binary of tests/abi/golden/1.N/plugin.c for x86-64 Linux, small and stripped, from the current headers.
# Without FILE the binary is stored with its source, once, when 1.N is frozen: the headers that it is made from change
# with the next minor.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
(($# >= 1)) || { echo "usage: $0 1.N [FILE]" >&2; exit 2; }
made=${2:-$here/$1/plugin.so}
[[ $(uname -m) == x86_64 ]] || { echo "make.sh: golden binaries are for x86-64" >&2; exit 77; }
[[ -n ${2:-} || ! -e $made ]] || { echo "make.sh: $made is there, and is never made again" >&2; exit 1; }
cc -std=c11 -Os -Wall -Wextra -Wpedantic -Werror -fPIC -shared -fvisibility=hidden -ffile-prefix-map="$here=." \
  -Wl,-z,now,-z,defs,--build-id=none,-z,noseparate-code -s -I"$here/../../../sdk/include" -o "$made" "$here/$1/plugin.c"
echo "make.sh: $made: $(stat -c %s "$made") bytes"
