#!/usr/bin/env bash
# Tests the ABI gate itself, each time on a copy of sdk/. In the tree as it is, sdk/abi/check.sh must fail on every
# change. Once 1.0 is frozen, every break must be refused, even with the steps that POLICY.md prescribes for an append:
# a raised minor and check.sh --update. An append must pass with exactly these steps and fail without them.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "gate: FAIL: $*" >&2; failed=1; }
check() { "$work/sdk/abi/check.sh" "$@" >"$work/log" 2>&1; }
why() { { grep -m1 -oE 'static assertion failed: "[^"]*"' "$work/log" || grep -m1 'abi: FAIL' "$work/log"; } | cut -c1-110; }

# copy FILE SED-EXPRESSION: copies sdk/ with this change of a header; fails if nothing changed
copy() {
  rm -rf "$work/sdk"
  cp -r "$root/sdk" "$work/sdk"
  sed -i -E "$2" "$work/sdk/include/gpubench/$1"
  ! cmp -s "$work/sdk/include/gpubench/$1" "$root/sdk/include/gpubench/$1"
}
# freeze MINOR: makes the copy's lock that of the released 1.0, and its headers those of a release 1.MINOR
freeze() {
  local header=$work/sdk/include/gpubench/gpubench.h
  rm -f "$work"/sdk/abi/v1_[0-9]*_layout.c
  sed -i -E 's/^(VALUE\(GB_ABI_VERSION, )[0-9]+/\165536/' "$work/sdk/abi/v1_layout.c"
  sed -i -E "s/Draft of 1\.0/Release/; s/^(#define GB_ABI_VERSION).*/\1 0x0001000${1}u/" "$header"
}

# mutation NAME FILE SED-EXPRESSION: check.sh must fail while the change is not recorded
mutation() {
  copy "$2" "$3" || { fail "'$1' changed nothing"; return; }
  if check; then fail "check.sh passed '$1'"; else echo "gate: caught: $1: $(why)"; fi
}
# breaks NAME FILE SED-EXPRESSION: after the freeze check.sh must refuse to record the change, too
breaks() {
  mutation "$@"
  freeze 1
  if check --update; then fail "check.sh --update recorded '$1'"; else echo "gate: refused: $1: $(why)"; fi
}
# append NAME FILE SED-EXPRESSION [COMMAND...]: check.sh must fail while the append is not recorded, refuse to record it
# without a raised minor, and record it with one, with 1.0 in a separate lock. COMMAND is a further step that POLICY.md
# asks for.
append() {
  mutation "${@:1:3}"
  freeze 0
  if check --update; then fail "'$1' was recorded as of 1.0"; else echo "gate: refused as 1.0: $1: $(why)"; fi
  freeze 1
  (($# < 4)) || "${@:4}"
  if check --update && check; then echo "gate: passed as 1.1: $1"; else fail "append '$1': $(cat "$work/log")"; fi
  [[ -s $work/sdk/abi/v1_0_layout.c ]] || fail "'$1' left no lock of 1.0"
  # The minor after the next must still be compatible with 1.0.
  sed -i '/^  const char \*build;/d' "$work/sdk/include/gpubench/gpubench.h"
  sed -i -E 's/^(#define GB_ABI_VERSION).*/\1 0x00010002u/' "$work/sdk/include/gpubench/gpubench.h"
  if check --update; then fail "1.2 broke 1.0 behind '$1'"; fi
}

"$root/sdk/abi/check.sh"
breaks 'insert in a bench' gpubench.h 's/^  const char \*contract;.*/const char *extra; &/'
breaks 'insert in an extension' ext/tensor.h 's/^  uint32_t \(\*rank\)/uint32_t (*extra)(gb_case *c); &/'
breaks 'reorder of slots' gpubench.h 's/\(\*prepare\)/(*SWAP)/; s/\(\*supports\)/(*prepare)/; s/\(\*SWAP\)/(*supports)/'
breaks 'reorder of fields of one type' gpubench.h 's/^  const char \*version;/  const char *SWAP;/; s/^  const char \*build;/  const char *version;/; s/^  const char \*SWAP;/  const char *build;/'
breaks 'removal' gpubench.h '/^  const char \*build;/d'
breaks 'field type of the same size' ext/case.h 's/uint64_t items;/int64_t items;/'
breaks 'field type of another size' gpubench.h 's/^  uint32_t abi_built;/  uint64_t abi_built;/'
breaks 'status type' gpubench.h 's/typedef int32_t gb_status/typedef int64_t gb_status/'
breaks 'slot signature' ext/mem.h 's/uint32_t kind, uint64_t bytes/uint32_t kind, int64_t bytes/'
breaks 'slot of one more parameter' gpubench.h 's/(\(\*teardown\)\(const gb_bench \*self)/\1, int32_t why/'
breaks 'growth of the host' gpubench.h '/\(\*extension\)/s/$/ const void *extra;/'
breaks 'growth of an extension' ext/rng.h '/\(\*below\)/s/$/ const void *extra;/'
breaks 'constant renumbered' ext/tensor.h 's/(GB_OUT )2u/\13u/'
breaks 'constants exchanged' gpubench.h 's/(GB_I64 )1u/\17u/; s/(GB_F64 )2u/\11u/; s/(GB_I64 )7u/\12u/'
breaks 'constant removed' ext/tensor.h '/^#define GB_DTYPE_E4M3/d'
breaks 'extension id' ext/rng.h 's,gb.rng/1,gb.rng/2,'
breaks 'padding' ext/tensor.h 's/^  uint64_t reduction;/  uint64_t reduction; uint32_t extra;/'
mutation 'new struct without a witness' ext/case.h 's/^typedef struct gb_case_ext/typedef struct gb_new {\n  uint64_t a;\n} gb_new;\n&/'
append 'field of a bench' gpubench.h '/\(\*teardown\)/s/$/\n  const char *extra;/'
append 'slot of the entry' gpubench.h '/\(\*close\)\(const gb_host/s/$/\n  void (*extra)(const gb_host *host);/'
append 'constant' ext/tensor.h 's/^#define GB_DTYPE_U8.*/&\n#define GB_DTYPE_NEW 99u/'
exit "$failed"
