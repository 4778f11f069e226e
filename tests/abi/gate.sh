#!/usr/bin/env bash
# Tests the ABI gate itself: sdk/abi/check.sh must fail on every kind of break, and on an append that nobody recorded.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# mutation NAME FILE SED-EXPRESSION
mutation() {
  rm -rf "$work/include"
  cp -r "$root/sdk/include" "$work/include"
  sed -i -E "$3" "$work/include/gpubench/$2"
  if cmp -s "$work/include/gpubench/$2" "$root/sdk/include/gpubench/$2"; then
    echo "gate: FAIL: mutation '$1' changed nothing" >&2
    failed=1
  elif "$root/sdk/abi/check.sh" "$work/include" >"$work/log" 2>&1; then
    echo "gate: FAIL: check.sh passed the mutation '$1'" >&2
    failed=1
  else
    echo "gate: caught: $1: $(grep -m1 'abi: FAIL' "$work/log" | cut -c1-90)"
  fi
}

"$root/sdk/abi/check.sh"
mutation 'insert in a bench' gpubench.h 's/^  const char \*contract;.*/const char *extra; &/'
mutation 'append to a bench' gpubench.h '/\(\*teardown\)/s/$/ const char *extra;/'
mutation 'removal' gpubench.h '/^  const char \*build;/d'
mutation 'swap' gpubench.h 's/\(\*prepare\)/(*SWAP)/; s/\(\*release\)/(*prepare)/; s/\(\*SWAP\)/(*release)/'
mutation 'append to the host' gpubench.h '/\(\*extension\)/s/$/ const void *extra;/'
mutation 'insert in an extension' ext/tensor.h 's/^  uint32_t \(\*rank\)/uint32_t (*extra)(gb_case *c); &/'
mutation 'slot signature' ext/mem.h 's/uint32_t kind, uint64_t bytes/uint32_t kind, int64_t bytes/'
mutation 'field type of the same size' ext/case.h 's/uint64_t items;/int64_t items;/'
mutation 'constant' ext/tensor.h 's/(GB_OUT )2u/\13u/'
mutation 'extension id' ext/rng.h 's,gb.rng/1,gb.rng/2,'
mutation 'status type' gpubench.h 's/typedef int32_t gb_status/typedef int64_t gb_status/'
mutation 'new constant, not recorded' ext/tensor.h 's/^#define GB_DTYPE_U8.*/&\n#define GB_DTYPE_NEW 99u/'
mutation 'new struct, not recorded' ext/case.h 's/^typedef struct gb_case_ext/typedef struct gb_new {\n  uint64_t a;\n} gb_new;\n&/'
mutation 'padding' ext/tensor.h 's/^  uint64_t reduction;/  uint64_t reduction; uint32_t extra;/'
exit "$failed"
