#!/usr/bin/env bash
# check.sh [--update] [INCLUDE_DIR]
# The ABI gate. It fails if the public headers differ from v1_layout.c or v1.abi, if they break a frozen minor
# (v1_N_layout.c), or if a tool that it needs is missing: a gate must not skip itself.
# --update: for a commit that extends the ABI on purpose (POLICY.md). Rewrites v1_layout.c and v1.abi. If the headers have
# the next minor, the lock of the minor before becomes v1_N_layout.c. It writes nothing that breaks a frozen minor.
# INCLUDE_DIR: other headers to compare with the same lock.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
update=0
if [[ ${1:-} == --update ]]; then update=1; shift; fi
include=$(cd "${1:-$here/../include}" && pwd)
cc=gcc # the baseline was made from gcc's debug information
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "abi: FAIL: $*" >&2; failed=1; }
refuse() { fail "$@"; exit 1; }

for tool in "$cc" abidw abidiff; do
  command -v "$tool" >/dev/null || refuse "$tool is not installed (apt-get install abigail-tools gcc)"
done
flags=("-ffile-prefix-map=$(dirname "$(dirname "$here")")=." -std=c11 -Wall -Wextra -Wpedantic -Wpadded -Werror -I"$include")
lock=$here/v1_layout.c
compiles() { "$cc" "${flags[@]}" -c -o "$work/layout.o" "$1"; }
minor_in() { sed -nE 's/^VALUE\(GB_ABI_VERSION, ([0-9]+)\);$/\1/p' "$1" | { read -r version && echo $((version & 0xFFFF)); }; }
unversioned() { grep -v '^VALUE(GB_ABI_VERSION,' "$1"; }

# 1. The headers keep every frozen minor.
shopt -s nullglob
for frozen in "$here"/v1_[0-9]*_layout.c; do
  compiles "$frozen" || refuse "the headers break what ${frozen##*/} has frozen"
done

# 2. No struct has padding, and the lock of this minor equals the layout of the headers line by line.
"$here/make_layout.sh" "$include" >"$work/layout.c"
grep -E '^(EXACTLY|AT_LEAST|FIELD|TYPE|ALIAS|VALUE)\(|^#define GB_EXT_' "$work/layout.c" >"$work/lines"
[[ $(wc -l <"$work/lines") -ge 100 ]] || refuse "make_layout.sh found too little in $include"
compiles "$work/layout.c" || refuse "the headers have padding, or do not compile"
if ((update)); then
  was=$(minor_in "$lock") is=$(minor_in "$work/layout.c")
  if grep -q 'Draft of 1\.0' "$include/gpubench/gpubench.h"; then
    ((is == 0)) || refuse "the headers say that 1.0 is a draft, and have the minor $is"
  elif ((is == was)); then
    cmp -s "$lock" "$work/layout.c" || refuse "1.$was is frozen: what is new needs GB_ABI_VERSION of 1.$((was + 1))"
  elif ((is == was + 1)); then
    unversioned "$lock" >"$work/frozen.c"
    compiles "$work/frozen.c" || refuse "the headers break 1.$was, which is frozen"
    cp "$work/frozen.c" "$here/v1_${was}_layout.c"
    echo "abi: wrote v1_${was}_layout.c"
  else
    refuse "GB_ABI_VERSION is 1.$is, and the lock is of 1.$was"
  fi
  cp "$work/layout.c" "$lock"
  echo "abi: wrote v1_layout.c"
fi
compiles "$lock" || fail "the headers break the layout lock v1_layout.c"
cmp -s "$lock" "$work/layout.c" ||
  fail "v1_layout.c is not what make_layout.sh prints:"$'\n'"$(diff "$lock" "$work/layout.c" | grep '^[<>]' | head -20)"

# 3. Types and signatures equal the stored baseline. Every difference fails, because abidiff's exit status does not
#    distinguish an append from an insert; an intended change brings a new baseline for the reviewer to judge.
while read -r _ type _; do
  grep -q "^WITNESS($type)" "$here/witness.c" || fail "witness.c lacks $type"
done < <(grep -hE '^(typedef )?struct gb_[a-z0-9_]+ \{' "$include"/gpubench/gpubench.h "$include"/gpubench/ext/*.h |
  sed 's/^typedef //')
if "$cc" "${flags[@]}" -g -shared -fPIC -fvisibility=hidden -o "$work/witness.so" "$here/witness.c"; then
  if ((update)); then
    abidw --no-show-locs --no-corpus-path --no-comp-dir-path --out-file "$here/v1.abi" "$work/witness.so"
    echo "abi: wrote v1.abi"
  fi
  [[ -s $here/v1.abi ]] || fail "the baseline v1.abi is missing"
  abidiff "$here/v1.abi" "$work/witness.so" || fail "the headers differ from the baseline v1.abi"
else
  fail "witness.c does not compile"
fi

((failed)) || echo "abi: ok: $(wc -l <"$work/lines") locked lines, baseline equal"
exit "$failed"
