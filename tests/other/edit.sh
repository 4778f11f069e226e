#!/usr/bin/env bash
# tests/other/edit.sh HOST TO: writes to TO the two host files that a new backend has to change: device/open.c, which
# opens the device, and options/device_list.c, which parses its name. Fails if a line to be extended is not found.
set -euo pipefail
host=$1 to=$2
mkdir -p "$to"

# edit FROM TO PATTERN TEXT...: inserts TEXT after the first line that contains PATTERN
edit() {
  grep -qF -- "$2" "$1" || { echo "edit.sh: $1 has no line with '$2'" >&2; exit 1; }
  awk -v pattern="$2" -v text="$3" '{ print } !done && index($0, pattern) { print text; done = 1 }' "$1" >"$1.new"
  mv "$1.new" "$1"
}

cp "$host/device/open.c" "$to/open.c"
edit "$to/open.c" '#include "device/device.h"' 'int device_other_open(struct device **device, struct err *err);'
edit "$to/open.c" '  *device = NULL;' '  if (strcmp(spec, "other") == 0) return device_other_open(device, err);'

cp "$host/options/device_list.c" "$to/device_list.c"
edit "$to/device_list.c" '    "cuda",' '    "other",'
edit "$to/device_list.c" 'const char *devices_backend(const char *spec) {' '  if (strcmp(spec, "other") == 0) return "other";'
edit "$to/device_list.c" '  uint32_t traits = 0;' '  if (strcmp(spec, "other") == 0) traits = DEVICE_TRAITS_OTHER;'
