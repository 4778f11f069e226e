#!/usr/bin/env bash
# reports/example/update.sh GPUBENCH [RUN]: writes the report of the example run and its picture with this gpubench. With RUN, that
# run replaces the example run first, without the paths of its machine. The picture needs chromium and selenium.
set -euo pipefail
usage="usage: $0 GPUBENCH [RUN]"
gpubench=$(realpath "${1:?$usage}") run=${2:-}
cd "$(dirname "$0")"
name=attention-h200

if [[ $run ]]; then
  mkdir -p $name
  for file in results.csv samples.csv slots.csv graph.csv; do cp "$run/$file" $name/; done
  sed -E 's#^(plugin = ).*/([^/]+)$#\1\2#; s#^(command = .*) --out [^ ]+#\1#' "$run/run.ini" >$name/run.ini
fi
"$gpubench" report -q $name >/dev/null
/usr/bin/python3 - "$PWD" $name ../../tests/browser <<'PICTURE'
import base64, sys, tempfile
folder, name, browser_tests = sys.argv[1:]
sys.path.insert(0, browser_tests)
from report_test import open_browser
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = open_browser(profile)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    browser.get(f"file://{folder}/{name}/report.html")
    picture = browser.execute_cdp_cmd("Page.captureScreenshot", {})["data"]
    browser.quit()
with open(f"{name}.png", "wb") as file:
    file.write(base64.b64decode(picture))
PICTURE
