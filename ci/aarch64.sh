#!/usr/bin/env bash
# aarch64.sh
# Cross-compiles the last commit (host, CPU plugins, tests) for 64-bit Arm in a Debian 13 root and runs it there under
# QEMU: the unit tests, the smoke test, small cases of each bundled plugin, and a new plugin. QEMU 7.2 and older crash
# where a process forks and closes files that it does not need. Diagrams are left out: arm64's Graphviz and amd64's
# cannot be installed together. Needs root, debootstrap, a mirror, and a kernel with binfmt_misc: QEMU is registered
# there for the time of the run, because workers are processes that the program starts itself. Takes 4 minutes on 2
# cores.
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
  lib{inih-dev,csv-dev,md-dev,sqlite3-dev,xxhash-dev,uring-dev,cunit1-dev,gomp1}:arm64 zlib1g-dev:arm64
git clone -q . "$work/aarch64/root/gpubench"
# shellcheck disable=SC2016
inside aarch64 bash -euc 'cd /root/gpubench
  cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=ci/aarch64.cmake -DBUILD_TESTING=ON -DGPUBENCH_CUDA=OFF -DGPUBENCH_WERROR=ON >/log 2>&1 &&
    cmake --build build --parallel "$1" >>/log 2>&1 || { tail -40 /log; grep -A5 -E "error|Error" /log | head -40; exit 1; }' bash "$(jobs)" || die "the cross build failed"

say "aarch64: run under QEMU"
[[ -e $binfmt/$name ]] && echo -1 >$binfmt/$name
trap 'echo -1 >$binfmt/$name; rm -rf --one-file-system "$work"' EXIT
# Matches a little-endian 64-bit ELF file for machine 183. Flag F: the kernel keeps the interpreter open, so that it is
# found wherever the file runs.
printf ':%s:M::%s:%s:%s:F' $name '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
  '\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' "$work/aarch64/usr/bin/qemu-aarch64" >$binfmt/register
# Leaves out the unit tests that notice QEMU: its threads, its name, its timers, its messages about signals, memory that
# it does not limit, a million samples in a second.
# shellcheck disable=SC2016
inside aarch64 bash -euc 'cd /root/gpubench
  build/bin/gpubench --version
  [[ $(od -An -tu2 -j18 -N2 build/bin/gpubench) -eq 183 ]]
  ctest --test-dir build -j "$1" -L unit -E "^unit/(base/parallel|diagram/diagram|machine/lock|plugin/process_state|stats/stats|worker/process)$" \
    --output-on-failure --no-tests=error >/log 2>&1 || { tail -60 /log; exit 1; }
  grep "tests passed" /log
  GPUBENCH_BIN=$PWD/build/bin/gpubench GPUBENCH_TEST_PLUGINS=$PWD/build/tests/plugins \
    python3 -B tests/e2e/test_usage.py >/log 2>&1 || { tail -60 /log; exit 1; }
  printf "%-18s %s\n" e2e/usage "$(grep ^Ran /log)"
  while read -r plugin axes; do
    build/bin/gpubench $plugin.so --quick --ceilings off --case-time 0.1 $axes --out /root/$plugin >/log 2>&1 || { cat /log; exit 1; }
    printf "%-18s %s\n" $plugin.so "$(grep ^status /log)"
  done <<<"activations -a m=64 -a n=128
softmax -a m=64 -a n=128
matmul -a m=64 -a n=64 -a k=64
attention -a s=128 -a h=4 -a h_kv=2
calibrate -a bytes=1M -a steps=64
energy -a n=64 -a bytes=1M
data_pipeline -a bytes=1M -a n=2 -a side=32 -a chunks=4"
  PATH=$PWD/build/bin:$PATH
  cd /root && gpubench new demo >/log
  cmake -S demo -B demo/build -DCMAKE_PREFIX_PATH=/root/gpubench/build -DCMAKE_TOOLCHAIN_FILE=/root/gpubench/ci/aarch64.cmake >/log 2>&1 &&
    cmake --build demo/build >>/log 2>&1 && gpubench demo/build/demo.so --quick -a n=1000 >>/log 2>&1 || { cat /log; exit 1; }
  printf "%-18s %s\n" demo.so "$(grep ^status /log)"' bash "$(jobs)" || die "what was compiled for aarch64 does not run"
printf '\naarch64: ok\n'
