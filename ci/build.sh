#!/usr/bin/env bash
# build.sh
# Installs missing packages for the build and for the nightly scripts, and builds into build/, with CUDA if it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

say "packages"
install_packages "${packages_night[@]}"
say "build"
configure_and_build build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF
