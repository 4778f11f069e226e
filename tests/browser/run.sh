#!/usr/bin/env bash
# tests/browser/run.sh TEST_HTML: the pages that the unit test writes, opened in Chromium. Exit 77 where Chromium or
# selenium is missing, unless GPUBENCH_NO_SKIP is set.
set -euo pipefail
test_html=${1:?usage: $0 TEST_HTML}
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # the one that apt's selenium belongs to
for need in chromium chromedriver; do
  command -v $need >/dev/null || { echo "no $need"; [[ ${GPUBENCH_NO_SKIP:-} ]] && exit 1 || exit 77; }
done
$python -c 'import selenium' 2>/dev/null || { echo "no python3-selenium"; [[ ${GPUBENCH_NO_SKIP:-} ]] && exit 1 || exit 77; }
pages=$(mktemp -d); trap 'rm -rf "$pages"' EXIT
(cd "$here/../unit" && GPUBENCH_REPORTS=$pages "$test_html" >/dev/null)
$python "$here/report_test.py" "$pages"/*.html
