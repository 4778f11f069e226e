#!/usr/bin/env bash
# history_branch.sh pull|push HISTORY [--branch NAME] [--remote NAME] [--keep N]
# Keeps nightly runs in an orphan branch of the current repository: compressed results, run.ini and decisions, but no
# file that can be derived from them. pull adds the nightly runs that HISTORY lacks and updates its index; a branch that
# does not exist yet is no error. push pulls, prunes to the newest N runs if --keep N is given, commits what HISTORY has
# and pushes; if another job pushed in between, it tries again. Neither touches your checkout. The default branch is
# gpubench-nights, the default remote origin. The content of a branch is untrusted: unexpected files, links and unusual
# names are not copied. GPUBENCH names the program (default: build/bin/gpubench of this clone, or gpubench). Exit
# status: 0; 2 bad command line; 3 git or gpubench failed.
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "$(realpath "$0")")
# shellcheck source=ci/options.sh
. "$here/options.sh"

die() { printf 'history_branch.sh: %s\n' "${*:2}" >&2; exit "$1"; }

if (($# < 2)) || [[ $1 != pull && $1 != push || $2 == -* ]]; then
  die 2 "usage: history_branch.sh pull|push HISTORY [--branch NAME] [--remote NAME] [--keep N]"
fi
action=$1 history=$2 branch=gpubench-nights remote=origin keep=''
shift 2
while (($#)); do
  case $1 in --branch | --remote | --keep) ;; *) die 2 "unknown option '$1'" ;; esac
  (($# >= 2)) && [[ -n $2 ]] || die 2 "$1 needs a value"
  declare "${1#--}=$2"
  shift 2
done
[[ -z $keep || $keep =~ ^[1-9][0-9]{0,5}$ ]] || die 2 "--keep is '$keep', not a number from 1"
git check-ref-format --branch "$branch" >/dev/null 2>&1 || die 2 "'$branch' is no name of a branch"
find_gpubench "$here" || die 2 "no gpubench: set GPUBENCH, or install it"
top=$(git rev-parse --show-toplevel 2>/dev/null) || die 2 "no git repository here"
mkdir -p "$history/nights"
history=$(realpath "$history")
cd "$top"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=(results.csv.gz results.csv run.ini against.csv decided.csv)
# Disables filters and links, whatever the repository's attributes and settings say.
plain=(-c core.symlinks=false -c core.autocrlf=false -c core.attributesFile=/dev/null)

# Fetches the branch; sets tip to the remote's commit, or to nothing if the remote has no such branch.
fetch() {
  local listed
  listed=$(git ls-remote "$remote" "refs/heads/$branch") || die 3 "$remote cannot be reached"
  tip=${listed%%[[:space:]]*}
  [[ -z $tip ]] || git fetch -q --no-tags "$remote" "$tip" || die 3 "$branch cannot be fetched"
}

pull() {
  local night name file added=0
  fetch
  [[ -n $tip ]] || return 0
  rm -rf "$work/branch" "$work/index"
  GIT_INDEX_FILE=$work/index git "${plain[@]}" read-tree "$tip"
  GIT_INDEX_FILE=$work/index git "${plain[@]}" checkout-index -a -q --prefix="$work/branch/"
  for night in "$work"/branch/nights/*/; do
    name=$(basename "$night")
    [[ -d $night && $name =~ ^[A-Za-z0-9_][A-Za-z0-9._+-]{0,199}$ ]] || continue
    if [[ ! -d $history/nights/$name ]]; then
      mkdir -p "$work/new"
      for file in "${files[@]}"; do [[ ! -f $night$file ]] || cp "$night$file" "$work/new/"; done
      rm -rf "$history/nights/.$name"
      cp -r "$work/new" "$history/nights/.$name" && mv "$history/nights/.$name" "$history/nights/$name"
      rm -rf "$work/new"
      added=$((added + 1))
    fi
  done
  echo "$added nights from $branch"
  ((added == 0)) || "$GPUBENCH" history rebuild "$history" || die 3 "the history cannot be read: see above"
}

push() {
  local try tree commit name count
  for try in 1 2 3 4 5; do
    pull
    [[ -z $keep ]] || "$GPUBENCH" history prune "$history" --keep "$keep" || die 3 "the history cannot be pruned: see above"
    rm -f "$work/index"
    (cd "$history" && shopt -s nullglob && printf '%s\0' nights/[A-Za-z0-9_]*/{results.csv{,.gz},run.ini,against.csv,decided.csv}) >"$work/list"
    GIT_INDEX_FILE=$work/index git "${plain[@]}" --work-tree="$history" --git-dir="$(git rev-parse --absolute-git-dir)" \
      add -f --pathspec-from-file="$work/list" --pathspec-file-nul
    tree=$(GIT_INDEX_FILE=$work/index git write-tree)
    [[ -z $tip || $tree != $(git rev-parse "$tip^{tree}") ]] || { echo "$branch has it all"; return; }
    count=$(git ls-tree "$tree:nights" | wc -l)
    commit=$(git -c user.name="${GIT_COMMITTER_NAME:-gpubench}" -c user.email="${GIT_COMMITTER_EMAIL:-gpubench@localhost}" \
      commit-tree ${tip:+-p "$tip"} -m "$count nights" "$tree")
    if git push -q "$remote" "$commit:refs/heads/$branch"; then echo "$count nights in $branch"; return; fi
    sleep "$((try * try))"
  done
  die 3 "$branch cannot be pushed to $remote"
}

"$action"
