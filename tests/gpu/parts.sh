# tests/gpu/parts.sh is sourced by scripts that are run as SCRIPT TREE [OUT [PART...]]: `source parts.sh OUT "PART..."
# "$@"`, with the default of OUT and the names of all parts. It sets `here`, `tree`, `out`, `parts` (the given ones, or
# all), `python` ($GPUBENCH_PYTHON or python3) and `seed`, and exits with 77 without a GPU and with 2 if a part is
# unknown. The script defines `bench`, the options of all its runs, and a function for each part, and ends with
# `run_parts`.
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${3:?usage: $0 TREE [OUT [PART...]]}" && pwd)
out=$(mkdir -p "${4:-$1}" && cd "${4:-$1}" && pwd)
python=${GPUBENCH_PYTHON:-python3}
seed=$RANDOM
failed=0
parts=("${@:5}")
((${#parts[@]})) || read -ra parts <<<"$2"
for part in "${parts[@]}"; do [[ " $2 " == *" $part "* ]] || { echo "$0: no part $part; there are: $2"; exit 2; }; done
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }

fail() { echo "FAILED: $*"; failed=1; }

# verify NAME OPTION...: checks that all rows are right and that there are some.
verify() {
  local name=$1 log=$out/$1.log; shift
  "$tree/bin/gpubench" "${bench[@]}" --device cuda --verify-only --lock off --no-save --seed "$seed" "$@" >"$log" 2>&1 ||
    { fail "$name: exit $?"; tail -n 5 "$log"; return; }
  grep -q '^verified *[1-9]' "$log" || fail "$name: nothing was verified"
  printf '%-20s %s\n' "$name" "$(grep -o '^verified .*' "$log")"
}

# sees TOOL NAME OPTION...: checks that compute-sanitizer's TOOL reports nothing for such a run.
sees() {
  local tool=$1 name=$2 log=$out/$1-$2.log; shift 2
  compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$tree/bin/gpubench" "${bench[@]}" --device cuda \
    --verify-only --lock off --no-save --timeout 600 "$@" >"$log" 2>&1 || fail "$tool $name: exit $?"
  grep -q 'SUMMARY: 0' "$log" && ! grep -q 'SUMMARY: [1-9]' "$log" || fail "$tool $name: $(grep -m 1 'SUMMARY: [1-9]' "$log")"
  printf '%-24s %s\n' "$tool $name" "$(grep -o 'SUMMARY: .*' "$log" | sort | uniq -c | tr -s ' \n' ' ')"
}

# Returns true if compute-sanitizer is installed.
can_sanitize() {
  command -v compute-sanitizer >/dev/null || { echo "sanitize skipped: no compute-sanitizer here"; return 1; }
}

run_parts() {
  local part
  for part in "${parts[@]}"; do "$part"; done
  exit "$failed"
}
