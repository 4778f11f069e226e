#!/usr/bin/env bash
# ci/contracts.sh TREE [--check] [FOLDER...]
# Writes the plugins' contracts, as `gpubench list --contract` prints them, to CONTRACTS.md in a plugin's folder, or to
# README.md if the folder has no CONTRACTS.md. TREE is a build directory or an install; FOLDER is the folder of a plugin
# (default: all in plugins/). The file has a section for each contract of its plugin, from `<!-- contract ID -->` to
# `<!-- end of contract -->`; a missing section is added at the end. --check changes nothing and exits with 1 if a file
# is not current. A contract that TREE does not offer (its plugin is not built, its bench needs CUDA) is reported and
# left as it is.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(cd "${1:?usage: ci/contracts.sh TREE [--check] [FOLDER...]}" && pwd)
shift
check=0 failed=0
if [[ ${1:-} == --check ]]; then check=1; shift; fi
(($#)) || set -- "$root"/plugins/*/plugin.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

list() { "$tree/bin/gpubench" list "$@"; }

# section ID < PAGE: prints the text between the markers
section() { awk -v id="$1" '$0 == "<!-- end of contract -->" { on = 0 } on { print } $0 == "<!-- contract " id " -->" { on = 1 }'; }

# replace ID FILE < PAGE: prints the page with FILE between the markers
replace() {
  awk -v id="$1" -v file="$2" '
    $0 == "<!-- end of contract -->" { on = 0 }
    !on { print }
    $0 == "<!-- contract " id " -->" { on = 1; while ((getline line < file) > 0) print line }'
}

for folder; do
  folder=${folder%/plugin.c}
  name=$(basename "$folder") page=${folder%/}/CONTRACTS.md
  [[ -e $page ]] || page=${folder%/}/README.md
  plugin=$tree/lib/gpubench/plugins/$name.so
  if [[ ! -e $plugin ]]; then echo "contracts: $name: left as it is: not built in $tree"; continue; fi
  if [[ ! -e $page ]]; then echo "contracts: FAIL: $page is not there" >&2; failed=1; continue; fi
  cp "$page" "$work/page"
  mapfile -t offered < <(list "$plugin" --contract '*' --markdown --device cpu | sed -n 's/^Contract `\([^`]*\)`.*/\1/p')
  for id in "${offered[@]}"; do
    list "$plugin" --contract "$id" --markdown --device cpu >"$work/new"
    if ! grep -Fxq "<!-- contract $id -->" "$work/page"; then
      if ((check)); then echo "contracts: FAIL: $page has no section for $id" >&2; failed=1; continue; fi
      printf '\n<!-- contract %s -->\n<!-- end of contract -->\n' "$id" >>"$work/page"
    fi
    section "$id" <"$work/page" | diff -u --label "$page: $id" --label "gpubench list --contract $id" - "$work/new" >"$work/diff" && continue
    if ((check)); then cat "$work/diff" >&2; echo "contracts: FAIL: $page: $id is not current: run ci/contracts.sh $tree" >&2; failed=1; fi
    replace "$id" "$work/new" <"$work/page" >"$work/next"
    mv "$work/next" "$work/page"
  done
  while read -r id; do
    printf '%s\n' "${offered[@]}" | grep -Fxq "$id" || echo "contracts: $name: $id left as it is: not offered in $tree"
  done < <(sed -n 's/^<!-- contract \(.*\) -->$/\1/p' "$page")
  ((check)) || cmp -s "$work/page" "$page" || { cat "$work/page" >"$page"; echo "contracts: wrote $page"; }
done
((failed)) || echo "contracts: ok"
exit "$failed"
