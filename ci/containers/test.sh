#!/usr/bin/env bash
# test.sh [BUNDLE]
# Builds the Containerfile with buildah, on a Debian 12 made by debootstrap, from a bundle without CUDA, and runs
# attention.so in the image on the CPU as an ordinary user. Then runs the scripts of apptainer.def in a plain root.
# BUNDLE is a TGZ, or a build folder (default: build-extra) from which cpack makes one. Needs root, buildah, debootstrap
# and a mirror, but no registry, container network or user namespaces. Not tested: an NVIDIA runtime, a registry,
# Apptainer itself.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/lib.sh
. ci/roots.sh

bundle=${1:-build-extra}
context=$work/context
mkdir -p "$context/gpubench"
if [[ -d $bundle ]]; then
  (cd "$bundle" && cpack -G TGZ -B "$work/cpack") >"$work/log" 2>&1 || { tail "$work/log" >&2; die "cpack makes no bundle of $bundle"; }
  bundle=$(compgen -G "$work/cpack/gpubench-*.tar.gz" | head -n 1)
fi
tar -xzf "$bundle" -C "$context/gpubench" --strip-components=1
files=ci/containers

buildah() { command buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }

# config NAME: prints that entry of the image's configuration, one line per value
config() {
  buildah inspect --type image gpubench | python3 -c 'import json, sys
config = json.load(sys.stdin)["OCIv1"]["config"]
value = config.get(sys.argv[1])
print("\n".join(value) if isinstance(value, list) else value)' "$1"
}

say "base: Debian 12 of debootstrap's"
bare bookworm base
name=$(buildah from scratch)
buildah add -q "$name" "$cache/bookworm.tar" / >/dev/null
buildah commit -q "$name" gpubench-base >/dev/null

say "the image"
buildah build -q --isolation chroot --pull-never --build-arg BASE=localhost/gpubench-base -f $files/Containerfile -t gpubench "$context" >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; die "the Containerfile does not build"; }
[[ $(config User) == 1000:1000 ]] || die "the image runs as '$(config User)'"
[[ $(config WorkingDir) == /runs ]] || die "the image begins in '$(config WorkingDir)'"
for variable in NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility; do
  grep -qxF "$variable" <<<"$(config Env)" || die "the image has no $variable"
done
mapfile -t entry < <(config Entrypoint)

say "attention.so in it, on the CPU"
name=$(buildah from --pull-never gpubench)
inside_image() { buildah run --isolation chroot "$name" -- "$@"; }
[[ $(inside_image id -u) == 1000 ]] || die "it runs as user $(inside_image id -u)"
if inside_image touch /opt/gpubench/bin/gpubench 2>/dev/null; then die "its user may write to the program"; fi
inside_image "${entry[@]}" --version
inside_image "${entry[@]}" --plugin attention.so --device cpu --quick --max-time 30s --out first >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; die "attention.so does not run in it"; }
grep ^status "$work/log"
inside_image test -s /runs/first/report.html || die "there is no report"
inside_image "${entry[@]}" report first --csv - | grep '"ok"' >/dev/null || die "no row is ok"

say "apptainer.def: its sections, in a plain root"
# section NAME: prints the lines of that section of apptainer.def
section() { awk -v name="%$1" '/^%/ { on = $1 == name; next } on' $files/apptainer.def; }
known=$(printf '%%%s\n' arguments files post environment runscript test help)
[[ $(grep -oE '^%[a-z]+' $files/apptainer.def) == "$known" ]] || die "apptainer.def has other sections than $known"
for script in post environment runscript test; do
  section $script | sh -n || die "%$script is no shell script"
done
while read -r from to; do
  mkdir -p "$work/base$(dirname "$to")"
  cp -a "$context/$from" "$work/base$to"
done < <(section files | grep .)
inside base sh -euc "$(section post)" || die "%post fails"
inside base sh -euc "$(section test)" >/dev/null || die "%test fails"
inside base sh -euc "$(section environment)
cd /root
set -- --plugin softmax.so --device cpu --quick --bench softmax/rows -a m=64 -a n=256 -a dtype=fp32 --out first
$(section runscript)" >"$work/log" 2>&1 || { cat "$work/log" >&2; die "%runscript fails"; }
grep ^status "$work/log"
echo "containers: ok"
