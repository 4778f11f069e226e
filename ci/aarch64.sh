#!/usr/bin/env bash
# aarch64.sh
# Host, CPU plugins and tests, cross-compiled for 64-bit Arm from the last commit in a root of Debian 13 and run there under
# QEMU: the unit tests, the first steps of a user, each bundled plugin. Older QEMUs (7.2) crash where a process forks and
# closes what it does not need. Without diagrams: arm64's Graphviz cannot be installed beside amd64's. Needs root,
# debootstrap, a mirror, and a kernel with binfmt_misc; it names QEMU to the kernel and takes that back. Takes NN minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh
. ci/roots.sh

binfmt=/proc/sys/fs/binfmt_misc name=gpubench-aarch64
[[ -e $binfmt/register ]] || mount -t binfmt_misc none $binfmt || die "this kernel has no binfmt_misc"

say "aarch64: cross-compiled on Debian 13"
bare trixie aarch64
inside aarch64 dpkg --add-architecture arm64
apt_install aarch64 crossbuild-essential-arm64 make cmake pkg-config git python3 qemu-user \
  lib{inih-dev,csv-dev,md-dev,xxhash-dev,uring-dev,cunit1-dev,gomp1}:arm64
git clone -q . "$work/aarch64/root/gpubench"
# shellcheck disable=SC2016
inside aarch64 bash -euc 'cd /root/gpubench
  cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=ci/aarch64.cmake -DBUILD_TESTING=ON -DGPUBENCH_CUDA=OFF -DGPUBENCH_WERROR=ON >/log 2>&1 &&
    cmake --build build --parallel "$1" >>/log 2>&1 || { tail -40 /log; exit 1; }' bash "$(jobs)" || die "the cross build failed"

say "aarch64: run under QEMU"
[[ -e $binfmt/$name ]] && echo -1 >$binfmt/$name
trap 'echo -1 >$binfmt/$name; rm -rf --one-file-system "$work"' EXIT
# an ELF file of 64 bits, little-endian, for machine 183; F: the kernel holds the interpreter, wherever the file is run
printf ':%s:M::%s:%s:%s:F' $name '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
  '\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' "$work/aarch64/usr/bin/qemu-aarch64" >$binfmt/register
# shellcheck disable=SC2016
inside aarch64 bash -euc 'cd /root/gpubench
  file=build/bin/gpubench
  [[ $(od -An -tu2 -j18 -N2 $file) -eq 183 ]]
  ctest --test-dir build -j "$1" -L unit --output-on-failure --no-tests=error | tail -4
  for plugin in build/lib/gpubench/plugins/*.so; do
    $file "$(basename "$plugin")" --quick --max-time 20s --out "/root/$(basename "$plugin" .so)" >/log 2>&1 || { cat /log; exit 1; }
    printf "%-18s %s\n" "$(basename "$plugin")" "$(grep ^status /log)"
  done' bash "$(jobs)" || die "what was compiled for aarch64 does not run"
printf '\naarch64: ok\n'
