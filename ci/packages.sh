#!/usr/bin/env bash
# packages.sh [--cuda] [OUT]
# Builds the packages from the last commit and tries them on bare machines, which are roots made by debootstrap. The DEB
# is built on Debian 12 and installed by apt on a bare one. The TGZ is built on Debian 11, whose glibc 2.31 is the
# oldest that a Debian mirror still carries, and unpacked on a bare 11 and a bare 12, where nothing is installed. Every
# bundled plugin runs from each package, on the CPU; new plugins and guests are built and run with the DEB. --cuda: with
# /usr/local/cuda, for the architectures of a release; without it there is no CUDA in the packages. Needs root,
# debootstrap, patchelf and a mirror. Packages go to OUT (default: build-packages). Takes 4 minutes without CUDA and
# half an hour with it, on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh
. ci/roots.sh

# Machine code for each of these, and PTX of the last for later ones.
architectures='80-real;86-real;89-real;90a-real;100-real;120'
cuda=OFF
if [[ ${1:-} == --cuda ]]; then
  cuda=ON
  lent=([deb-build]=/usr/local/cuda [tgz-build]=/usr/local/cuda)
  shift
fi
out=$(realpath -m "${1:-build-packages}")
mkdir -p "$out"

# The CMake of an older release is too old: installs this machine's, with its libraries and its loader.
lend_cmake() {
  local to=$work/$1/opt/cmake program library loader
  mkdir -p "$to/bin" "$to/lib" "$to/share"
  cp -a "$(cmake --system-information 2>/dev/null | sed -n 's/^CMAKE_ROOT "\(.*\)"/\1/p')" "$to/share/"
  loader=$(patchelf --print-interpreter "$(command -v cmake)")
  for program in cmake cpack; do
    cp "$(command -v $program)" "$to/bin/"
    while read -r library; do cp -L "$library" "$to/lib/"; done < <(ldd "$to/bin/$program" | awk '/=> \// { print $3 }'; echo "$loader")
    patchelf --set-interpreter "/opt/cmake/lib/${loader##*/}" --force-rpath --set-rpath /opt/cmake/lib "$to/bin/$program"
    ln -s "/opt/cmake/bin/$program" "$work/$1/usr/local/bin/$program"
  done
}

# build NAME KIND: builds the package of that kind with cpack and copies it to $out
build() {
  git clone -q . "$work/$1/root/gpubench"
  # shellcheck disable=SC2016
  inside "$1" bash -euc 'cd /root/gpubench
    cmake -S . -B build -DBUILD_TESTING=OFF -DGPUBENCH_CUDA="$2" -DCMAKE_CUDA_ARCHITECTURES="$4" >/log 2>&1 && cmake --build build --parallel "$3" >>/log 2>&1 || { tail -40 /log; exit 1; }
    cd build && cpack -G "$1" >/log 2>&1 || { cat /log; exit 1; }' bash "$2" "$cuda" "$(jobs)" "$architectures" || die "$1: the $2 was not built"
  cp "$work/$1"/root/gpubench/build/gpubench[-_]*.* "$out/"
}

# try NAME PREFIX: checks that each bundled plugin runs, no library is missing, and diagrams are drawn
try() {
  # shellcheck disable=SC2016
  inside "$1" bash -euc 'cd /root
    "$1/bin/gpubench" --version
    for plugin in "$1"/lib/gpubench/plugins/*.so; do
      out=out-$(basename "$plugin" .so)
      for seconds in 6 60; do # on a busy machine the first case alone may take more than 6
        rm -rf "$out"
        "$1/bin/gpubench" "$(basename "$plugin")" --device cpu --quick --max-time ${seconds}s --out "$out" >log 2>&1 && break
      done || { cat log; echo "FAIL: $plugin"; exit 1; }
      printf "%-18s %s\n" "$(basename "$plugin")" "$(grep ^status log)"
    done
    for file in "$1/bin/gpubench" "$1"/lib/gpubench/gpubench-diagram "$1"/lib/gpubench/plugins/*.so; do
      if ldd "$file" | grep "not found"; then echo "FAIL: $file lacks that"; exit 1; fi
    done
    if grep -q "libgvc" out-*/report.html; then echo "FAIL: a report lacks its diagram"; exit 1; fi
  ' bash "$2" || die "$1: a plugin does not run from $2"
}

# scripts NAME PREFIX STATUS: runs a plugin that is a Python script together with softmax's rows, and expects STATUS in
# the output (such as why it was skipped if there is no Python)
scripts() {
  # shellcheck disable=SC2016
  inside "$1" bash -euc 'cd /root
    "$1/bin/gpubench" softmax numpy_softmax --bench softmax/rows --device cpu --quick --max-time 60s -a m=64 -a n=256 -a dtype=fp32 --out out-scripts >log 2>&1 || { cat log; exit 1; }
    rm -r out-scripts
    grep -q "$2" log || { cat log; echo "FAIL: $2 is not in it"; exit 1; }
    printf "%-18s %s\n" "numpy_softmax.py" "$(grep ^status log)"
  ' bash "$2" "$3" || die "$1: a Python script does not do from $2 what it should"
}

# images NAME PREFIX: fails if an architecture of a release is missing; passes if there is no cuobjdump to tell
images() {
  [[ $cuda == OFF ]] || ci/images.sh "$work/$1$2" "$architectures" || (($? == 77)) || die "$1: kernels lack an architecture"
}

say "DEB: built on Debian 12"
bare bookworm deb-build
apt_install deb-build "${packages_build[@]}" git dpkg-dev file
build deb-build DEB
say "DEB: on a bare Debian 12"
bare bookworm deb-bare
deb=$(basename "$work"/deb-build/root/gpubench/build/*.deb)
cp "$out/$deb" "$work/deb-bare/root/"
apt_install deb-bare "/root/$deb"
try deb-bare /usr
scripts deb-bare /usr 'no python3 on PATH'
images deb-bare /usr
apt_install deb-bare cmake g++ make python3-numpy
scripts deb-bare /usr '^numpy '
for new in demo "mm --guest matmul" "att --guest attention/forward" "cpp --lang cpp"; do
  # shellcheck disable=SC2016
  inside deb-bare bash -euc 'cd /root && gpubench new $1 | tail -3 | sed "3s/\$/ --quick/" | bash -ex >log 2>&1 || { cat log; exit 1; }; grep ^status log' \
    bash "$new" || die "a new plugin ($new) is not built and run by the commands that the DEB's gpubench prints"
done
inside deb-bare bash -euc 'apt-get -qq -y remove gpubench >/dev/null && ! ls -d /usr/lib/gpubench /usr/share/gpubench /usr/bin/gpubench 2>/dev/null' ||
  die "the DEB leaves files behind"

say "TGZ: built on Debian 11"
bare bullseye tgz-build
apt_install tgz-build "${packages_build[@]/#cmake/make}" git
lend_cmake tgz-build
build tgz-build TGZ
tgz=$(basename "$work"/tgz-build/root/gpubench/build/*.tar.gz)
for suite in bullseye bookworm; do
  say "TGZ: on a bare root of $suite"
  bare $suite "tgz-$suite"
  tar -C "$work/tgz-$suite/opt" -xzf "$out/$tgz"
  try "tgz-$suite" "/opt/${tgz%.tar.gz}"
  apt_install "tgz-$suite" python3-numpy
  scripts "tgz-$suite" "/opt/${tgz%.tar.gz}" '^numpy '
done
images tgz-bookworm "/opt/${tgz%.tar.gz}"
printf '\npackages: ok:\n'
(cd "$out" && ls -sh "$PWD/$deb" "$PWD/$tgz")
