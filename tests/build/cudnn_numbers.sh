#!/bin/bash
# cudnn_numbers.sh INCLUDE...
# Checks that the constants in plugins/attention/cudnn_api.h equal those of cuDNN's own header, if one of the folders
# has it. Exits with 77 if none has.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
options=()
for folder in "$@"; do options+=("-I$folder"); done
check=$(mktemp --suffix=.c)
trap 'rm -f "$check"' EXIT
{
  echo '#include <cudnn.h>'
  sed -n 's/^ *DNN_\([A-Za-z0-9_]*\) = \([0-9]*\),$/_Static_assert((int)CUDNN_\1 == \2, "\1");/p' \
    "$root/plugins/attention/cudnn_api.h"
} >"$check"
count=$(grep -c _Static_assert "$check")
if [ "$count" -ne "$(grep -c '^ *DNN_' "$root/plugins/attention/cudnn_api.h")" ]; then
  echo "cudnn_numbers.sh: not every number was read"
  exit 1
fi
if ! echo '#include <cudnn.h>' | ${CC:-cc} "${options[@]}" -E - >/dev/null 2>&1; then
  echo "cudnn_numbers.sh: no cudnn.h here"
  exit 77
fi
${CC:-cc} -std=c11 "${options[@]}" -fsyntax-only "$check"
echo "cudnn_numbers.sh: $count numbers agree"
