#!/usr/bin/env bash
# tests/browser/run.sh TEST_HTML TOOLS WHAT
# Tests the pages that the unit tests write, and a report of an H200: in Chromium (report), against axe-core's
# accessibility rules (axe) or in the Nu HTML checker (markup); tests a trend's site in all three (site). axe-core and
# the checker are installed from the npm registry into the folder TOOLS, once. Exits with 77 and a reason if a program
# is missing, or with 1 if GPUBENCH_NO_SKIP is set.
set -euo pipefail
usage="usage: $0 TEST_HTML TOOLS report|axe|markup|site"
test_html=${1:?$usage} tools=${2:?$usage} what=${3:?$usage}
axe=axe-core@4.14.1 vnu=vnu-jar@26.9.27
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # the interpreter that apt's selenium belongs to

skip() { echo "skipped: $*"; [[ ${GPUBENCH_NO_SKIP:-} ]] && exit 1 || exit 77; }
need() { for program in "$@"; do command -v "$program" >/dev/null || skip "no $program"; done; }
need_browser() {
  need chromium chromedriver
  $python -c 'import selenium' 2>/dev/null || skip "no python3-selenium"
}
fetch() { # NAME@VERSION FILE: installs the package and sets $file to the path of FILE in it
  local folder=$tools/$1
  if [[ ! -e $folder/node_modules/$2 ]]; then
    need npm
    mkdir -p "$folder"
    exec 8>"$folder/lock" && flock 8 # two tests may install the same package at once
    [[ -e $folder/node_modules/$2 ]] || npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts "$1" >"$folder/npm.log" 2>&1 ||
      skip "npm cannot install $1: $(grep -m1 'npm error' "$folder/npm.log" || tail -1 "$folder/npm.log")"
    exec 8>&-
  fi
  file=$folder/node_modules/$2
}

pages=$(mktemp -d); trap 'rm -rf "$pages"' EXIT
write_pages() { # also the pages of test_compare_against, which is in the same folder
  export GPUBENCH_REPORTS=$pages
  (cd "$here/../unit" && "$test_html" >/dev/null && "${test_html%/*}/test_compare_against" >/dev/null)
  cp "$here/../../reports/example/attention-h200/report.html" "$pages/attention-h200.html" # figures of an H200
}
write_site() { # 40 nightly runs of 12 series, two of which become slower
  local build=${test_html%/*}/..
  printf '[device]\nname = Test device\ndriver = 1.0\ntick_ns = 32\nseed = 3\n[plain]\nns = 50000\n[*]\nns = 100000\n' >"$pages/fake.ini"
  (cd "$pages"
    GPUBENCH_PLUGIN_PATH=$build/tests/plugins/small "$build/bin/gpubench" --plugin "$build/tests/plugins/ok_vector.so" --preset small \
      --device fake:fake.ini -q --out base
    $python -B "$here/../e2e/nights.py" base history 40 12
    "$build/bin/gpubench" trend history --site site -q)
}
case $what in
  report)
    need_browser
    write_pages
    $python "$here/report_test.py" "$pages"/*.html ;;
  axe)
    need_browser
    fetch $axe axe-core/axe.min.js
    write_pages
    rm "$pages"/{large,wide}.html "$pages"/*hostile.html # the same parts in great number, or with other names
    $python "$here/report_test.py" --axe "$file" "$pages"/*.html ;;
  markup)
    need java
    fetch $vnu vnu-jar/build/dist/vnu.jar
    write_pages
    java -jar "$file" --errors-only "$pages"/*.html
    java -jar "$file" --errors-only --css "$pages"/report.css ;;
  site)
    need_browser
    fetch $axe axe-core/axe.min.js
    write_site
    $python "$here/site_test.py" ${GPUBENCH_SCREENSHOTS:+--screenshots "$GPUBENCH_SCREENSHOTS"} "$file" "$pages/site"
    need java
    fetch $vnu vnu-jar/build/dist/vnu.jar
    java -jar "$file" --errors-only "$pages/site/index.html" "$pages"/site/bench/*.html
    java -jar "$file" --errors-only --svg "$pages/site/badge.svg" ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
