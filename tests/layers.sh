#!/usr/bin/env bash
# tests/layers.sh [ROOT]
# Checks which room may include which, and how large a room may be. The table is the rule: a room may include itself,
# the rooms named after it, and what those may include. host/README.md and reports/README.md say what each room is for.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

host_rooms='
base
stats     base
model     stats
options   model
manual    options
machine   model
record    model
history   record
plugin    model
plan      options
device    machine
case      device plugin
measure   case
exam      measure
worker    exam plan
ask       worker
analyse   ask record
resume    plan plugin record
ceilings     analyse resume
budget    ceilings
run       budget
check     run
merge     run
jobs      merge
doctor    machine options history
contract  run
commands  check contract jobs site
main      commands doctor'

reports_rooms='
summary   record options
trend     history
svg       stats
compare   summary
diagram   summary svg
terminal  compare trend
export    compare trend
html      diagram terminal export
site      html'

# The external headers that only some rooms may include, with these rooms.
only='
dlfcn.h              machine plugin
cuda_runtime.h       device
cuda_runtime_api.h   device
cuda_profiler_api.h  device
cuda.h               device
nvml.h               machine
ini.h                options record device
csv.h                record
sqlite3.h            history
zlib.h               base'

# A file has one subject, and a room is as much as one reader can hold in mind. The aim is 40 files and 4,500 lines:
# model has more files, measure more lines.
run_state_most=40 files_most=40 lines_most=600 function_most=60 room_most=4500
problems=$(mktemp)
trap 'rm -rf "$problems"' EXIT
fail() { echo "layers: FAIL: $*" >>"$problems"; }

sources() { find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' | sort; }
# FILE:"NAME, FILE:<NAME.
includes() { xargs grep -HoE '^[ \t]*#[ \t]*include[ \t]*["<][^">]+' | sed -E 's/[ \t]*#[ \t]*include[ \t]*//'; }

# 1. Each folder is in the table, and each line of the table is a folder; main is host/main.c.
rooms_of() { awk 'NF { print $1 }' <<<"$1"; }
for house in host reports; do
  table=${house}_rooms rooms=" $(rooms_of "${!table}" | xargs) "
  for room in $rooms; do
    [[ -d $house/$room || $house/$room == host/main ]] || fail "the table has the room '$room', $house/ has not"
  done
  for folder in "$house"/*/; do
    room=${folder%/} room=${room##*/}
    compgen -G "$folder*.[ch]" >/dev/null || continue # folders without sources: docs, example, schema
    [[ $rooms == *" $room "* ]] || fail "$house/$room is not in the table of $0"
  done
done

# Calls, as lines FILE OTHER NAME: FILE calls the function NAME of OTHER, wherever it has the prototype from.
calls=$(list=$(find host reports -name '*.[ch]' ! -path 'host/manual/*' | sort); awk '
  # Strips comments and strings. A definition starts in the first column, and its head ends in a brace.
  FNR == 1 { pass = seen[FILENAME]++ ? 2 : 1; inside = 0; head = ""; unit = FILENAME; sub(/^(host|reports)\//, "", unit); sub(/\.[a-z]+$/, "", unit) }
  {
    line = $0
    gsub(/\\["\\]/, "", line); gsub(/"[^"]*"/, "", line); gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    if (inside) { if (!sub(/^.*\*\//, "", line)) next; inside = 0 }
    if (sub(/\/\*.*$/, "", line)) inside = 1
  }
  pass == 1 {
    # A pointer to a function.
    if (match(line, /\(\*[a-z_0-9]+\)/)) local[unit, substr(line, RSTART + 2, RLENGTH - 3)] = 1
    if (line ~ /^#define [a-z_0-9]+\(/) { name = line; sub(/^#define /, "", name); sub(/\(.*/, "", name); local[unit, name] = 1 }
    if (line ~ /^[a-z_][a-zA-Z0-9_ *]*[ *][a-z_0-9]+\(/) { head = line; sub(/\(.*/, "", head); sub(/^.*[ *]/, "", head); own = line ~ /^static/ }
    if (line ~ /;$/) head = ""
    if (head != "" && line ~ /\{$/) { if (own) local[unit, head] = 1; else if (FILENAME ~ /\.c$/) { where[head] = where[head] != "" && where[head] != unit ? "twice" : unit }; head = "" }
    next
  }
  {
    if (line !~ /^ /) next
    while (match(line, /[a-z_][a-zA-Z0-9_]*/)) {
      name = substr(line, RSTART, RLENGTH); before = RSTART > 1 ? substr(line, RSTART - 1, 1) : ""
      line = substr(line, RSTART + RLENGTH)
      if (line !~ /^\(/) continue
      if (before ~ /[.>A-Z0-9]/ || !(name in where) || where[name] == "twice" || where[name] == unit || (unit, name) in local) continue
      if (!((unit, where[name]) in told)) { told[unit, where[name]] = 1; print unit, where[name], name }
    }
  }' $list $list)

# 2. Dependencies between rooms, by includes and by calls, and external headers.
{ sources host reports | includes; awk '{ print "host/" $1 ".c:(" $2 " " $3 }' <<<"$calls"; } | awk -v table="$host_rooms$reports_rooms" -v reports="$(rooms_of "$reports_rooms" | xargs)" \
    -v only="$only" -v files="$(find host reports -name '*.h' | xargs)" '
  function room_of(path,  part, count) { count = split(path, part, "/"); return count == 2 ? "main" : part[2] }
  function reaches(from, to,  list, i, count) {
    if (from == to) return 1
    count = split(may[from], list, " ")
    for (i = 1; i <= count; i++) if (reaches(list[i], to)) return 1
    return 0
  }
  function allowed(from, to) {
    if (!((from, to) in known)) known[from, to] = reaches(from, to)
    return known[from, to]
  }
  BEGIN {
    count = split(table, line, "\n")
    for (i = 1; i <= count; i++) { split(line[i], word, " "); name = word[1]; sub(/^[^ ]+ */, "", line[i]); if (name != "") may[name] = line[i] }
    count = split(only, line, "\n")
    for (i = 1; i <= count; i++) { split(line[i], word, " "); name = word[1]; sub(/^[^ ]+ */, "", line[i]); if (name != "") owners[name] = " " line[i] " " }
    count = split(reports, list, " ")
    for (i = 1; i <= count; i++) is_report[list[i]] = 1
    count = split(files, list, " ")
    for (i = 1; i <= count; i++) exists[list[i]] = 1
  }
  {
    colon = index($0, ":"); file = substr($0, 1, colon - 1); kind = substr($0, colon + 1, 1); name = substr($0, colon + 2)
    from = room_of(file)
    if (kind == "(") {
      split(name, word, " "); to = name; sub(/\/.*/, "", to)
      if (!allowed(from, to)) print from " calls " word[2] "() of " to ": " from " may call only" (may[from] == "" ? " itself" : ": " may[from] ", and what they may")
      next
    }
    if (kind == "<") {
      to = name; sub(/\/.*/, "", to)
      if (name ~ /\// && to in may) { print file " includes <" name ">: what is ours stands in quotes"; next }
      if (name ~ /^gpubench\// && from in is_report) print file " includes <" name ">: reports know nothing of plugins"
      if (name in owners && index(owners[name], " " from " ") == 0) print file " (" from ") includes <" name ">: only" owners[name] "do"
      next
    }
    to = name; sub(/\/.*/, "", to)
    house = to in is_report ? "reports/" : "host/"
    if (name !~ /\// || name ~ /\.\./ || !(to in may)) { print file " includes \"" name "\": an include names room and file"; next }
    if (!((house name) in exists)) { print file " includes \"" name "\": there is no " house name; next }
    if (!allowed(from, to)) print file " (" from ") includes \"" name "\" (" to "): " from " may include only" (may[from] == "" ? " itself" : ": " may[from] ", and what they may")
  }' | while read -r line; do fail "$line"; done

# Backends are distinguished by their traits (model/device_trait.h), and by name only where a device is named or opened.
# The `lang` of a template is a language, not a backend.
{ sources host reports | grep -vE '^host/(options|device)/' |
    xargs grep -nE '(strcmp|strncmp|text_same|begins|starts)\(.*(backend|spec|device|list).*, *"(cpu|cuda|fake)' | grep -v 'lang,' || true; } |
  while read -r line; do fail "asks for a backend by its name, not for a trait: $line"; done

# 3. No cycles: among the rooms of the table, among the rooms as they are, among files (x.c and x.h count as one).
pairs_of() { awk 'NF { for (i = 2; i <= NF; i++) print $1, $i }'; }
no_circle() { # no_circle WHAT: fails if the pairs on stdin have a cycle
  local loops
  loops=$(tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^:]*\)$/\1/p' | grep -v 'input contains a loop' | xargs) || true
  [[ -z $loops ]] || fail "a circle of $1: $loops"
}
pairs_of <<<"$host_rooms$reports_rooms" | no_circle "rooms in the table"
arrows=$(sources host reports | includes | sed -nE 's,^(host|reports)/([^:]*)\.[a-z]+:"([^"]*)\.h$,\2 \3,p' | awk '$1 != $2' | sort -u)
awk '{ sub(/\/.*/, "", $1); sub(/\/.*/, "", $2); if ($1 != $2) print }' <<<"$arrows" | sort -u | no_circle "rooms"
no_circle "files" <<<"$arrows"

# The same for calls.
awk '{ print $1, $2 }' <<<"$calls" | no_circle "calls"
awk '{ split($1, a, "/"); split($2, b, "/"); if (a[1] != b[1]) print a[1], b[1] }' <<<"$calls" | sort -u | no_circle "calls of rooms"

# 4. Sizes.
find host reports -type f -printf '%h\n' | grep -vE '^reports/(example|schema)' | awk -v most=$files_most '
  { count[$0]++ }
  END { for (folder in count) if (count[folder] > most) print folder " holds " count[folder] " files: at most " most }' |
  while read -r line; do fail "$line"; done
sources host reports | xargs wc -l | awk -v most=$lines_most '$2 != "total" && $1 > most { print $2 " has " $1 " lines: at most " most }' |
  while read -r line; do fail "$line"; done

# Functions should take what they use: only a few may take a whole run_state.
count=$(sources host | grep '\.c$' | xargs grep -hcE '^[a-z].*\(.*struct run_state \*' | awk '{ sum += $1 } END { print sum }')
((count <= run_state_most)) || fail "$count functions take a struct run_state: at most $run_state_most"
sources host reports | grep '\.[ch]$' | xargs awk -v most=$room_most '
  FNR == 1 { folder = FILENAME; sub(/\/[^\/]*$/, "", folder) }
  { lines[folder]++ }
  END { for (folder in lines) if (lines[folder] > most) print "the room " folder " has " lines[folder] " lines: at most " most }' |
  while read -r line; do fail "$line"; done
sources host reports | xargs awk -v most=$function_most '
  FNR == 1 { begin = 0 }
  /^[a-z_][^;=]*\(/ { begin = FNR; head = $0 }
  /^}/ { if (begin && FNR - begin >= most) print FILENAME ":" begin " has a function of " FNR - begin + 1 " lines: at most " most; begin = 0 }' |
  while read -r line; do fail "$line"; done

# 5. Plugins may include the SDK, their own folder and plugins/shared; the SDK may include only itself.
if [[ -d plugins ]]; then
  sources plugins tests/plugins | includes | sed -n 's/:"/ /p' | while read -r file name; do
    [[ $name == gpubench/* ]] && continue
    [[ $name == ../shared/* || $name != */* ]] && [[ -e ${file%/*}/$name ]] ||
      fail "$file includes \"$name\": a plugin has <gpubench/...>, its own folder and plugins/shared"
  done
  sources sdk/include | includes | sed -n 's/:"/ /p' | while read -r file name; do
    [[ -e ${file%/*}/$name ]] || fail "$file includes \"$name\" from outside the SDK"
  done
fi

checked=$(sources host reports | includes | wc -l)
((checked > 0)) || fail "found no #include at all"
cat "$problems" >&2
[[ ! -s $problems ]] || exit 1
echo "layers: ok: $checked includes, $(wc -l <<<"$arrows") arrows between files"
