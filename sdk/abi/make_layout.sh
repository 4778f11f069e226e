#!/usr/bin/env bash
# make_layout.sh [INCLUDE_DIR]
# Prints the layout lock of the public headers: offset, size and type of every field of every public struct, the size of
# every struct and the value of every constant. v1_layout.c is this output.
# So short a scan is enough because of the headers' plain style: one struct per block, one field per statement.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-$here/../include}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=gcc # clang has no -fpreprocessed

headers=("$include"/gpubench/ext/*.h "$include/gpubench/gpubench.h")
for header in "${headers[@]}"; do
  # removes comments, keeps directives
  "$cc" -w -fpreprocessed -dD -E -P "$header"
done >"$work/all.h"

# Output lines: "S gb_x" opens a struct, "F gb_x field type" is one of its fields, "A gb_x type" an alias of a type,
# "C NAME" a number, "T NAME text" a string
awk '
  /^#define GB_EXT_/ { text = $0; sub(/^#define [A-Z0-9_]+ /, "", text); print "T", $2, text; next }
  /^#define GB_[A-Z0-9_]+ +[^ ]/ && !/^#define GB_EXPORT/ { print "C", $2; next }
  /^#/ { next }
  /^typedef [a-z0-9_]+ gb_[a-z0-9_]+;/ && $2 != "struct" { sub(/;.*/, ""); print "A", $3, $2; next }
  /^(typedef )?struct gb_[a-z0-9_]+ \{/ { name = $0; sub(/ \{.*/, "", name); sub(/.* /, "", name); print "S", name; next }
  /^\}/ { name = ""; next }
  name == "" { next }
  { statement = statement " " $0 }
  /;[ \t]*$/ {
    sub(/;.*/, "", statement)
    gsub(/[ \t]+/, " ", statement)
    sub(/^ /, "", statement)
    if (match(statement, /\(\*[a-z0-9_]+\)\(/)) { from = RSTART + 2; length_ = RLENGTH - 4 }
    else { match(statement, /[a-z0-9_]+$/); from = RSTART; length_ = RLENGTH }
    field = substr(statement, from, length_)
    type = substr(statement, 1, from - 1) substr(statement, from + length_)
    sub(/ $/, "", type)
    print "F", name, field, type
    statement = ""
  }' "$work/all.h" >"$work/items"

{
  echo '#include <inttypes.h>'
  echo '#include <stdio.h>'
  for header in "${headers[@]}"; do echo "#include <${header#"$include"/}>"; done
  echo 'int main(void) {'
  while read -r kind name rest; do
    case $kind in
      S) # structs of the host are frozen to the byte; structs of plugins may grow at the end
        relation=AT_LEAST
        [[ $name == gb_host || $name == *_ext ]] && relation=EXACTLY
        echo "printf(\"\\n$relation($name, %zu, %zu);\\n\", sizeof($name), _Alignof($name));" ;;
      F) field=${rest%% *}
        echo "printf(\"FIELD($name, $field, %zu, %zu);\\n\", offsetof($name, $field), sizeof((($name *)0)->$field));"
        echo "puts(\"TYPE($name, $field, ${rest#* });\");" ;;
      A) echo "puts(\"ALIAS($name, $rest);\");" ;;
      C) echo "printf(\"VALUE($name, %\" PRId64 \");\\n\", (int64_t)($name));" ;;
      N) echo 'puts("");' ;;
      T) echo "puts(\"#define $name ${rest//\"/\\\"}\");" ;;
    esac
  done < <(grep '^A' "$work/items"; grep '^[SF]' "$work/items"; echo N; grep '^C' "$work/items"; echo N; grep '^T' "$work/items")
  echo 'return 0; }'
} >"$work/print.c"
"$cc" -std=c11 -I"$include" -o "$work/print" "$work/print.c"

cat <<'TEXT'
/* Checks that the public headers keep the layout of ABI 1.0: each line below fails to compile if an offset, a size, an
 * alignment or a constant has changed. Compiled in every build. make_layout.sh prints this file, and check.sh fails if
 * it prints anything else. If a change is allowed by POLICY.md, do not edit lines here: check.sh --update writes the
 * file again. */
TEXT
for header in "${headers[@]}"; do echo "#include <${header#"$include"/}>"; done
cat <<'TEXT'

/* clang-format off */
#define EXACTLY(type, size, alignment) \
  _Static_assert(sizeof(type) == (size) && _Alignof(type) == (alignment), #type ": frozen table changed")
#define AT_LEAST(type, size, alignment) \
  _Static_assert(sizeof(type) >= (size) && _Alignof(type) == (alignment), #type ": shrank or is aligned differently")
#define FIELD(type, field, offset, size)                                                    \
  _Static_assert(offsetof(type, field) == (offset) && sizeof(((type *)0)->field) == (size), \
                 #type "." #field ": moved or resized")
#define TYPE(type, field, ...) \
  _Static_assert(_Generic(((type *)0)->field, __VA_ARGS__ : 1, default : 0), #type "." #field ": has another type")
#define ALIAS(name, type) _Static_assert(_Generic((name)0, type : 1, default : 0), #name ": is another type")
#define VALUE(constant, value) _Static_assert((constant) == (value), #constant ": renumbered")

_Static_assert(sizeof(void *) == 8, "ABI 1 is defined for 64-bit machines");
TEXT
"$work/print"
