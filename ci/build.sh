#!/usr/bin/env bash
# build.sh
# Installs what is missing for the build and for the scripts of a night, and builds into build/, with CUDA where it is.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

say "packages"
install_packages "${packages_night[@]}"
say "build"
configure_and_build build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF
