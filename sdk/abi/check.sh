#!/usr/bin/env bash
# check.sh [--update] [INCLUDE_DIR]
# The ABI gate. Fails when the public headers no longer are what v1_layout.c and v1.abi say they are, and when a tool
# that it needs is missing: a gate that skips itself is no gate. --update rewrites v1.abi, for the commit that means to
# extend the ABI (POLICY.md). INCLUDE_DIR: other headers to hold against the same lock, for testing this gate.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
update=0
if [[ ${1:-} == --update ]]; then update=1; shift; fi
include=$(cd "${1:-$here/../include}" && pwd)
cc=gcc # the baseline was made from what gcc writes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "abi: FAIL: $*" >&2; failed=1; }

for tool in "$cc" abidw abidiff; do
  command -v "$tool" >/dev/null || { fail "$tool is not installed (apt-get install abigail-tools gcc)"; exit 1; }
done
flags=("-ffile-prefix-map=$(dirname "$(dirname "$here")")=." -std=c11 -Wall -Wextra -Wpedantic -Wpadded -Werror -I"$include")

# 1. The lock holds, no struct has padding, and every field and constant is in the lock.
"$cc" "${flags[@]}" -c -o "$work/layout.o" "$here/v1_layout.c" || fail "the headers break the layout lock v1_layout.c"
"$here/make_layout.sh" "$include" >"$work/layout.c"
grep -E '^(EXACTLY|AT_LEAST|FIELD|VALUE)\(|^#define GB_EXT_' "$work/layout.c" >"$work/lines"
[[ $(wc -l <"$work/lines") -ge 100 ]] || fail "make_layout.sh found too little in $include"
grep -Fxv -f "$here/v1_layout.c" "$work/lines" >"$work/missing" &&
  fail "v1_layout.c lacks these lines of make_layout.sh:"$'\n'"$(cat "$work/missing")"

# 2. Types and signatures are those of the stored baseline. Every difference fails: abidiff's exit status does not
#    tell an append from an insert, so a meant change comes with a new baseline that a reader can judge.
while read -r _ type _; do
  grep -q "^WITNESS($type)" "$here/witness.c" || fail "witness.c lacks $type"
done < <(grep -hE '^(typedef )?struct gb_[a-z0-9_]+ \{' "$include"/gpubench/gpubench.h "$include"/gpubench/ext/*.h |
  sed 's/^typedef //')
if "$cc" "${flags[@]}" -g -shared -fPIC -fvisibility=hidden -o "$work/witness.so" "$here/witness.c"; then
  if ((update)); then
    abidw --no-show-locs --no-corpus-path --no-comp-dir-path --out-file "$here/v1.abi" "$work/witness.so"
    echo "abi: wrote $here/v1.abi"
  fi
  [[ -s $here/v1.abi ]] || fail "the baseline v1.abi is missing"
  abidiff "$here/v1.abi" "$work/witness.so" || fail "the headers differ from the baseline v1.abi"
else
  fail "witness.c does not compile"
fi

((failed)) || echo "abi: ok: $(wc -l <"$work/lines") locked lines, baseline equal"
exit "$failed"
