#!/usr/bin/env bash
# nightly.sh HISTORY --suite FILE.ini [--suite FILE.ini]... [--site DIR] [--out DIR] [--nights N] [--baseline NIGHT]
#            [--shards N] [--shard RUN]... [-- GPUBENCH-OPTION...]
# Performs one nightly run: measures the suites, keeps the results in the folder HISTORY (`gpubench history`) and the
# plugins' binaries in HISTORY/plugins, and asks the history for suspects. These it confirms by measuring the binaries
# of an earlier nightly run and those of tonight interleaved, tonight, on this machine. Only confirmed rows fail the
# run as a regression. Then it writes the site, which replaces the one in DIR.
#
# --site    folder of the static pages (default: HISTORY-site)
# --out     tonight's files (default: nightly-out): a run directory per nightly run, summary.md, nightly.xml (JUnit: the
#           verdict and the confirmed rows), results.xml (JUnit: a case per row), results.json (CTRF),
#           benchmark-smaller.json and benchmark-bigger.json (github-action-benchmark). summary.md and the run's own
#           table also go to $GITHUB_STEP_SUMMARY.
# --nights  number of nightly runs whose binaries and run directories are kept (default: 30); the binaries of the last
#           good one are always kept
# --baseline  nightly run, such as that of a release, whose binaries suspects are compared with (default: the newest
#             good one)
# --shards  number of shards that the suites are measured in tonight. This job runs the last one; other jobs have run
#           `gpubench run ... --shard 1/N` and so on with the same suites and options, and --shard names their run
#           directories. If one is missing, the nightly run fails.
# Options after `--`, such as --device cuda:0, hold for the run and its confirmation. The commit is GITHUB_SHA,
# CI_COMMIT_SHA, GIT_COMMIT, or HEAD of the current folder. GPUBENCH names the program (default: build/bin/gpubench of
# this clone, or gpubench).
#
# Exit status (only 0 is green):
#   0  measured and judged: no row is slower
#   1  a regression, confirmed tonight by measuring old and new binaries interleaved (summary.md has the cases)
#   2  bad command line, suite or selection: nothing was measured
#   3  the nightly run failed: a result is wrong or crashed, a required variant was skipped, the driver is broken, a
#      shard is missing, nothing was timed, or results could not be kept. A regression that was confirmed nevertheless
#      is 1.
#   5  not judged: a busy machine, or a suspect that was neither confirmed nor cleared (as of gpubench; 4 is not used
#      here)
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "$(realpath "$0")")
# shellcheck source=ci/options.sh
. "$here/options.sh"

note() { printf 'nightly: %s\n' "$*" >&2; }
die() { printf 'nightly.sh: %s\n' "${*:2}" >&2; exit "$1"; }
helper() { python3 "$here/nightly.py" "$@"; }

usage='usage: nightly.sh HISTORY --suite FILE.ini [--site DIR] [--out DIR] [--nights N] [--baseline NIGHT] [--shards N] [--shard RUN]... [-- GPUBENCH-OPTION...]'
(($#)) && [[ $1 != -* ]] || die 2 "$usage"
history=$1 site='' out=nightly-out nights=30 baseline='' shards='' suites=() shard_runs=()
shift
while (($#)) && [[ $1 != -- ]]; do
  case $1 in --suite | --site | --out | --nights | --baseline | --shards | --shard) ;; *) die 2 "unknown option '$1'; gpubench's own come after --" ;; esac
  (($# >= 2)) && [[ -n $2 ]] || die 2 "$1 needs a value"
  case $1 in
    --suite) suites+=(--suite "$2") ;;
    --shard) shard_runs+=("$2") ;;
    *) declare "${1#--}=$2" ;;
  esac
  shift 2
done
(($# == 0)) || shift
((${#suites[@]})) || die 2 "no --suite; $usage"
[[ $nights =~ ^[1-9][0-9]{0,4}$ ]] || die 2 "--nights is '$nights', not a number from 1"
[[ -z $shards || $shards =~ ^[1-9][0-9]{0,3}$ ]] || die 2 "--shards is '$shards', not a number from 1"
site=${site:-${history%/}-site}
find_gpubench "$here" || die 2 "no gpubench: set GPUBENCH, or install it"
command -v python3 >/dev/null || die 2 "python3 is missing"
export GPUBENCH
options=("$@")
split_options "$@"
mkdir -p "$history" "$out"
exec 9>"$history/nightly.lock"
! command -v flock >/dev/null || flock -n 9 || die 3 "another night is at work in $history"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

commit=${GITHUB_SHA:-${CI_COMMIT_SHA:-${GIT_COMMIT:-$(git rev-parse -q --verify HEAD 2>/dev/null || true)}}}
failure='' # why the nightly run failed, even if no row is slower
fails() { failure=${failure:-$*}; note "failed: $*"; }

# ---- Measure and keep ----

# A name chosen here, because gpubench makes no link to its latest run if CI is set.
stamp=$(date -u +%Y%m%dT%H%M%SZ)-nightly
run=$out/$stamp again=1
while [[ -e $run || -e $history/nights/${run##*/} ]]; do run=$out/$stamp-$((++again)); done
status=0
part=()
((${shards:-1} == 1)) || part=(--shard "$shards/$shards")
"$GPUBENCH" run "${suites[@]}" --name nightly ${commit:+--tag "commit=$commit"} "${options[@]}" "${part[@]}" --out "$run" || status=$?
case $status in
  0) ;;
  2) die 2 "gpubench refused the command line or a suite: see above" ;;
  3) fails "gpubench run: something is wrong, crashed, was refused, or was required and skipped" ;;
  4) fails "gpubench run: the device cannot be used" ;;
  *) fails "gpubench run ended with $status" ;;
esac
if [[ -n $shards ]] && ((${#shard_runs[@]} + 1 != shards)); then fails "$((${#shard_runs[@]} + 1)) of $shards shards are there"; fi
for shard in "${shard_runs[@]}"; do [[ -s $shard/results.csv ]] || fails "the shard $shard has no results"; done

night=''
if [[ -s $run/results.csv ]]; then
  night=${run##*/}
  if [[ -z $failure ]] && ((${#shard_runs[@]})); then
    if "$GPUBENCH" report "$run" "${shard_runs[@]}" --out "$work/$night" -q >/dev/null; then run=$work/$night; else fails "the shards do not make one night"; fi
  fi
  "$GPUBENCH" history add "$history" "$run" || fails "gpubench history add ended with $?"
  [[ -d $history/nights/$night ]] || die 3 "$night is not in $history"
  helper keep "$run" "$history" || fails "binaries of plugins could not be kept"
else
  fails "nothing was timed"
fi

# ---- Judge ----

# decide [RUN]: sets $verdict
decide() {
  verdict=0
  "$GPUBENCH" history decide "$history" "$night" "$@" || verdict=$?
  case $verdict in
    0 | 1 | 3 | 5) ;;
    *) fails "gpubench history decide ended with $verdict"; verdict=3 ;;
  esac
}

# confirm SUITE: measures old and new builds interleaved, and undecided cases again in twice as many processes. Decided
# rows are added to the nightly run.
confirm() {
  local suite=$1 processes run_status confirmation
  for processes in 5 10; do
    confirmation=$out/$night-confirmed-$(basename "$suite" .ini)
    rm -rf "$confirmation"
    run_status=0
    "$GPUBENCH" run --suite "$suite" "${conditions[@]}" --ceilings off --restarts "$processes" --name confirmation --out "$confirmation" >&2 || run_status=$?
    [[ $run_status == [03] && -s $confirmation/results.csv ]] || { note "the confirmation ended with $run_status"; return 0; }
    decide "$confirmation" >&2
    suite=$(helper again "$suite" "$confirmation")
    [[ -n $suite ]] || break
  done
}

# suspects FILE: writes the current suspects to FILE and sets $verdict
suspects() {
  verdict=0
  "$GPUBENCH" history suspects "$history" --night "$night" ${baseline:+--baseline "$baseline"} >"$1" || verdict=$?
}

# Confirms suspects in up to four passes: where many series move together, the rule asks for a few of them first, and
# their results may make others suspect.
confirm_all() {
  local turn suite
  for turn in 1 2 3 4; do
    helper confirm "$work/suspects.json" "$run" "$history" "$work/confirm-$turn" >"$work/suites"
    [[ -s $work/suites ]] || return 0
    while read -r suite; do confirm "$suite" </dev/null; done <"$work/suites"
    mv "$work/suspects.json" "$work/suspects.before"
    suspects "$work/suspects.json"
    ((verdict == 0)) && ! cmp -s "$work/suspects.before" "$work/suspects.json" || return 0
  done
}

verdict=3
if [[ -n $night ]]; then
  suspects "$work/suspects.json"
  case $verdict in
    0)
      confirm_all
      decide
      ;;
    2) [[ -z $baseline ]] || die 2 "the history has no night '$baseline'" ;;&
    3) fails "gpubench history suspects: the night is not to be judged" ;;
    *) fails "gpubench history suspects ended with $verdict"; verdict=3 ;;
  esac
  # A regression is reported by the nightly run that establishes it, even if that run failed, and never again.
  [[ -z $failure || $verdict == 1 ]] || verdict=3
  if [[ $verdict == 3 ]]; then
    helper fail "$history" "$night" "$work/decided.csv" "${failure:-it has nothing to be judged by}"
    "$GPUBENCH" history add "$history" "$run" --decided "$work/decided.csv" -q || note "the verdict could not be written into $history"
  fi
fi

# ---- Report ----

if [[ -n $night ]]; then
  helper prune "$history" "$nights" "$out" || note "what is old could not be removed"
  helper summary "$history" "$night" "$verdict" "$out/nightly"
  "$GPUBENCH" report "$run" -q --junit "$out/results.xml" --ctrf "$out/results.json" --gh-benchmark "$out/benchmark.json" --markdown "$work/run.md" >/dev/null || true
  mv "$out/nightly.md" "$out/summary.md"
else
  printf '## failed\n\n%s\n' "$failure" >"$out/summary.md"
fi
cat "$out/summary.md"
[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || cat "$out/summary.md" "$work/run.md" >>"$GITHUB_STEP_SUMMARY" 2>/dev/null || true
if [[ -d $history/nights ]]; then
  site_status=0
  "$GPUBENCH" trend "$history" --site "$site" -q || site_status=$?
  # `trend` may return the verdict as its status. A site that was not written fails a nightly run that was green.
  [[ -s $site/index.html ]] && [[ $site_status == [0135] ]] || { note "the site could not be written"; ((verdict)) || verdict=3; }
fi
exit "$verdict"
