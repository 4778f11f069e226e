#!/usr/bin/env bash
# tests/history_size.sh BUILD [NIGHTS] [SERIES]
# Measures the cost of a long history: the time to rebuild its index, to show a trend and to write a site, and the sizes
# in bytes.
set -euo pipefail
build=$(realpath "${1:?usage: $0 BUILD [NIGHTS] [SERIES]}") nights=${2:-1000} series=${3:-200}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
printf '[device]\nname = Test device\ndriver = 1.0\ntick_ns = 32\nseed = 3\n[plain]\nns = 50000\n[twice]\nns = 100000\n[blocked]\nns = 50000\n' >fake.ini
GPUBENCH_PLUGIN_PATH=$build/tests/plugins/small "$build/bin/gpubench" --plugin "$build/tests/plugins/ok_vector.so" --preset small \
  --device fake:fake.ini -q --out base >/dev/null
python3 -B "$here/e2e/nights.py" base history "$nights" "$series"
measure() { local begin=$EPOCHREALTIME; "$@" >/dev/null; awk -v a="$begin" -v b="$EPOCHREALTIME" -v what="$2 ${4:-}" 'BEGIN { printf "%-16s %.2f s\n", what, b - a }'; }
measure "$build/bin/gpubench" history rebuild history
measure "$build/bin/gpubench" trend history
measure "$build/bin/gpubench" trend history --site site
echo "site             $(du -sb site | cut -f1) bytes, index.html $(stat -c %s site/index.html), history.db $(stat -c %s history/history.db)"
