#!/usr/bin/env bash
# bisect.sh GOOD BAD --plugin FILE [--build COMMAND] [--least SHARE] [-- GPUBENCH-OPTION...]
# Finds the commit that made a kernel slower. Run it in the repository of the plugin; your checkout is not touched. Each
# commit is checked out in a separate worktree and built there by COMMAND (default: CMake, into build/), which makes
# FILE, a path in the tree. Its binary and that of GOOD are then measured interleaved in one run, with the options after
# `--`, so that changes of the machine between runs are not blamed on a commit. GPUBENCH names the program (default:
# build/bin/gpubench of this clone, or gpubench).
#
# The endpoints are measured first. Of the rows that are slower at BAD by at least SHARE (default 0.01), the one that
# lost most is traced to the commit that brought more than half of its loss; --case and --variant choose another row.
# Each measurement uses --restarts 5 (or the number that you give), and twice as many if these do not decide. If those
# do not decide either, or if a commit does not build, git bisect skips the commit.
# Exit status: 0 the commit is found; 1 the endpoints are alike, so no commit is blamed; 2 bad command line; 3 an
# endpoint does not build or run; 5 not decided: the endpoints are not, or the commit is among some that were skipped.
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "$(realpath "$0")")
# shellcheck source=ci/options.sh
. "$here/options.sh"

die() { printf 'bisect.sh: %s\n' "${*:2}" >&2; exit "$1"; }

# build COMMIT NAME: builds the plugin of COMMIT and installs it in $work/NAME
build() {
  git -C "$tree" checkout -q --detach "$1" || return 1
  rm -f "$tree/$plugin" # a file left by another commit must not be measured as this one's
  (cd "$tree" && bash -c "$build") >"$work/build.log" 2>&1 && [[ -f $tree/$plugin ]] || return 1
  mkdir -p "$work/$2"
  install -m 755 "$tree/$plugin" "$work/$2/${plugin##*/}"
}

# measure LABEL NAME RESTARTS OPTION...: measures the plugin in $work/NAME against the good one; results go to $work/run
measure() {
  local status=0
  rm -rf "$work/run"
  # Rows that are wrong or crash do not stop the search (status 3): only the row that is traced counts.
  "$GPUBENCH" run --plugin "good=$work/good/${plugin##*/}" --plugin "$1=$work/$2/${plugin##*/}" "${conditions[@]}" "${@:4}" \
    --restarts "$3" --out "$work/run" -q >"$work/run.log" 2>&1 || status=$?
  [[ $status == [03] && -s $work/run/results.csv ]] && return
  cat "$work/run.log" >&2
  die 130 "gpubench failed with $status" # git bisect stops at a status above 127
}

# judge LABEL NAME: prints the verdict on the row that is traced: slower, same or undecided
judge() {
  local restarts word
  for restarts in "$first" "$((2 * first))"; do
    measure "$1" "$2" "$restarts" --case "$key" --variant "$variant" --mode "$mode"
    word=$(python3 "$here/rows.py" word "$work/run" "$1" "$key" "$variant" "$mode" "$limit")
    [[ $word == undecided ]] || break
  done
  echo "$word"
}

# One step of git bisect, which calls this script for each commit.
if [[ ${1:-} == --step ]]; then
  # shellcheck disable=SC1090
  . "$2"
  commit=$(git -C "$tree" rev-parse HEAD)
  git -C "$tree" log -1 --format='%h %s'
  build "$commit" bad || { echo "  does not build: $(tail -1 "$work/build.log")"; exit 125; }
  if cmp -s "$work/bad/${plugin##*/}" "$work/good/${plugin##*/}"; then
    echo "  the same file as GOOD's"
    exit 0
  fi
  word=$(judge bad bad)
  echo "  $word"
  case $word in slower) exit 1 ;; same) exit 0 ;; *) exit 125 ;; esac
fi

(($# >= 2)) && [[ $1 != -* && $2 != -* ]] || die 2 "usage: bisect.sh GOOD BAD --plugin FILE [--build COMMAND] [--least SHARE] [-- GPUBENCH-OPTION...]"
good=$1 bad=$2 plugin='' least=0.01 first=5 key='' variant='' mode='' limit=''
build='cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --parallel'
shift 2
while (($#)) && [[ $1 != -- ]]; do
  case $1 in --plugin | --build | --least) ;; *) die 2 "unknown option '$1'; gpubench's own come after --" ;; esac
  (($# >= 2)) || die 2 "$1 needs a value"
  declare "${1#--}=$2"
  shift 2
done
(($# == 0)) || shift
[[ -n $plugin ]] || die 2 "--plugin FILE is missing: the file that the build makes, as a path in the tree"
[[ $least =~ ^0?\.[0-9]+$ ]] || die 2 "--least is '$least', not a share such as 0.02"
find_gpubench "$here" || die 2 "no gpubench: set GPUBENCH, or install it"
split_options "$@" # options that select rows hold for the endpoints only
first=${restarts:-5}
[[ $first =~ ^[1-9][0-9]?$ ]] || die 2 "--restarts is '$first', not a number from 1 to 99"

top=$(git rev-parse --show-toplevel) || die 2 "no git repository here"
for name in good bad; do
  commit=$(git -C "$top" rev-parse --verify -q "${!name}^{commit}") || die 2 "'${!name}' is no commit"
  declare "$name=$commit"
done
git -C "$top" merge-base --is-ancestor "$good" "$bad" || die 2 "$(git -C "$top" log -1 --format='%h' "$good") is no ancestor of $(git -C "$top" log -1 --format='%h' "$bad")"

work=$(mktemp -d) tree=$work/tree
trap 'git -C "$top" worktree remove --force "$tree" 2>/dev/null || true; rm -rf "$work"' EXIT
git -C "$top" worktree add -q --detach "$tree" "$good"

echo "good: $(git -C "$tree" log -1 --format='%h %s' "$good")"
build "$good" good || { tail -20 "$work/build.log" >&2; die 3 "GOOD does not build"; }
echo "bad:  $(git -C "$tree" log -1 --format='%h %s' "$bad")"
build "$bad" bad || { tail -20 "$work/build.log" >&2; die 3 "BAD does not build"; }
! cmp -s "$work/good/${plugin##*/}" "$work/bad/${plugin##*/}" || { echo "the endpoints are the same file: nobody is blamed"; exit 1; }

for restarts in "$first" "$((2 * first))"; do
  (measure bad bad "$restarts" "${selection[@]}") || die 3 "the endpoints cannot be measured"
  status=0
  found=$(python3 "$here/rows.py" worst "$work/run" bad "$least") || status=$?
  ((status == 5)) || break
done
case $status in
  0) ;;
  1) echo "the endpoints are alike: nobody is blamed"; exit 1 ;;
  5) echo "the endpoints cannot be told apart or called alike: nobody is blamed"; exit 5 ;;
  *) die 3 "the endpoints' rows cannot be read" ;;
esac
{ read -r key; read -r variant; read -r mode; read -r step; } <<<"$found"
limit=$(python3 -c 'import sys; print(float(sys.argv[1]) / 2)' "$step")
echo "hunted: $key $variant $mode"

# GOOD against itself shows the verdict that an innocent commit would get.
word=$(judge again good) || die 3 "GOOD cannot be measured"
[[ $word == same ]] || { echo "GOOD against itself is '$word': nobody is blamed"; exit 5; }

declare -p work tree here build plugin conditions first key variant mode limit GPUBENCH >"$work/settings"
cd "$tree"
git bisect start "$bad" "$good" >/dev/null
status=0
git bisect run bash "$here/bisect.sh" --step "$work/settings" >"$work/bisect.log" 2>"$work/bisect.err" || status=$?
grep -vE '^(running|Bisecting:|\[[0-9a-f]{40}\])' "$work/bisect.log" || true
if grep -q 'could be any of' "$work/bisect.log" "$work/bisect.err"; then
  exit 5
fi
((status == 0)) || { cat "$work/bisect.err" >&2; die 3 "git bisect stopped with $status"; }
echo "slower since: $(git log -1 --format='%H %an, %as: %s' refs/bisect/bad)"
