#!/usr/bin/env bash
# test.sh [--all | --extra]
# Builds and runs the tests.
# Without an argument: the unit and smoke tests, the integration tests that are not long, and, if there is a GPU, those
# that need one. Takes 5 minutes on 2 idle cores, not counting the installation of packages.
# --all: what a change has to pass: all tests but the slow ones, both compilers without a warning, clang's with its
# sanitizers, format, clang-tidy, layers, headers, the lock of the ABI, the simulations of the statistics, the browser and, if
# nvcc is there, the CUDA build, without optimization and without running a kernel.
# --extra: only on request, as root, with a Debian mirror; takes an hour. Builds the kernels as released, without
# spilled registers; sees that the gate of the ABI finds what breaks it; builds the packages and tries them in fresh
# roots (ci/packages.sh, with CUDA if it is there); runs host and plugins for aarch64 under QEMU (ci/aarch64.sh), the
# lines of the example workflow files (ci/workflows.sh), the tests that compile for minutes (label `extra`), the guests
# in PyTorch, the jobs for Slurm, and a container image.
# A failed stage does not stop the later ones; the exit status is 1 if any has failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

failed=() python=() beside=
scratch=$(mktemp -d)
trap '[[ -z $beside ]] || kill -- "-$beside"; rm -rf "$scratch"' EXIT
# Sets $worked to the processor seconds of all children so far. bash reports them by `times` only.
work() {
  local file=$scratch/times.$BASHPID # begin_beside runs stages at the same time
  times >"$file"
  worked=$(awk -F '[ms ]+' 'END { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }' "$file")
}

# stage NAME COMMAND...: runs COMMAND with errexit in force, records whether it failed, and continues
stage() {
  local name=$1 status start=$SECONDS worked before
  shift
  say "$name"
  work
  before=$worked
  set +e
  (set -e; "$@")
  status=$?
  set -e
  work
  printf -- '-- %s: %s, %d s, %d of processors\n' "$name" "$( ((status)) && echo FAILED || echo ok)" $((SECONDS - start)) $((worked - before))
  ((status == 0)) || failed+=("$name")
}

# begin_beside FUNCTION: runs FUNCTION, which has stages, at the lowest priority, so that it takes only the processors
# that the stages after it leave idle. end_beside waits for it, prints its output and adds the stages that failed.
begin_beside() {
  set -m # a process group, which an interrupted script ends
  (
    renice -n 19 "$BASHPID" >/dev/null
    failed=() beside=
    "$@"
    ((${#failed[@]} == 0)) || printf '%s\n' "${failed[@]}" >"$scratch/failed"
  ) >"$scratch/beside" 2>&1 &
  beside=$!
  set +m
}
end_beside() {
  wait "$beside" || failed+=("stages beside others")
  beside=
  cat "$scratch/beside"
  [[ ! -e $scratch/failed ]] || mapfile -t -O "${#failed[@]}" failed <"$scratch/failed"
}

sources() {
  { git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' 2>/dev/null ||
      find host reports plugins sdk tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; } | sort -u
}

format() { sources | xargs -n 50 -P "$(jobs)" clang-format --dry-run --Werror; }

# Examines each file that clang has compiled once; CUDA sources are left to nvcc. A process examines 25 files, because
# the start of clang-tidy takes as long as an average file. Without the checks of va_list: clang-tidy 14 knows va_start()
# in the first file of a process only, and finds each later list uninitialized.
tidy() {
  python3 - build-sanitize/compile_commands.json build-tidy <<'EOF'
import json, os, re, sys
once = {entry["file"]: entry for entry in json.load(open(sys.argv[1]))}
os.makedirs(sys.argv[2], exist_ok=True)
json.dump(list(once.values()), open(sys.argv[2] + "/compile_commands.json", "w"))
files = [file for file in once if re.match(re.escape(os.getcwd()) + r"/(host|reports|plugins|sdk)/.*\.c$", file)]
open(sys.argv[2] + "/files", "w").write("".join(file + "\n" for file in files))
EOF
  [[ -s build-tidy/files ]] || { echo "no file to examine"; return 1; }
  xargs -d '\n' -n 25 -P "$(jobs)" clang-tidy -quiet -checks=-clang-analyzer-valist.* -p build-tidy \
    <build-tidy/files >build-tidy/tidy.log 2>&1 && return
  grep -E '(warning|error):' build-tidy/tidy.log | sort -u
  return 1
}

# run_ctest FOLDER OPTION...: runs three times as many tests at a time as there are cores, because many of them sleep
run_ctest() {
  local folder=$1
  shift
  # OpenMP threads that spin until the next parallel region would take half of all processor time from other tests.
  OMP_WAIT_POLICY=passive ctest --test-dir "$folder" -j $((3 * $(jobs))) --output-on-failure --no-tests=error --output-junit junit.xml "$@"
}

# Builds with sanitizers and fuzzers, warnings as errors: warnings do not depend on them, so one build serves three
# stages. Links by lld, because the executables are many and large.
clang_build() {
  CC=clang CXX=clang++ configure_and_build build-sanitize -DCMAKE_BUILD_TYPE=Debug -DGPUBENCH_WERROR=ON -DGPUBENCH_CUDA=OFF \
    -DGPUBENCH_SANITIZE=address,undefined -DGPUBENCH_FUZZ=ON -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld "${python[@]}"
}

sanitizers() {
  # Crashes of test plugins must reach the host as signals, and an allocation of 1 PB must be refused, not reported.
  export ASAN_OPTIONS=handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:handle_sigbus=0:allocator_may_return_null=1
  export UBSAN_OPTIONS=print_stacktrace=1
  # Only host and plugins are examined here: no tests that read their outputs, break their heap on purpose, or measure.
  GPUBENCH_LOUD_TIMES=2000 run_ctest build-sanitize -L 'sanitized|twice'
}

threads_build() {
  local log
  generator build-threads
  log=$(cmake "${generator[@]}" -S . -B build-threads -DCMAKE_BUILD_TYPE=Debug -DGPUBENCH_WERROR=ON -DGPUBENCH_CUDA=OFF \
    -DGPUBENCH_SANITIZE=thread "${python[@]}" 2>&1) || { echo "$log"; return 1; }
  cmake --build build-threads --parallel "$(jobs)" --target gpubench threads
}

# `log` and `fail` are the services that plugins call from any thread. The test calls them 2,000 times from each of two
# threads here, and 20,000 times without a sanitizer.
thread_sanitizer() {
  GPUBENCH_LOUD_TIMES=2000 run_ctest build-threads -R '^e2e/threads$'
}

# These stages compile and read for those after the tests, which need nothing of them.
builds_beside() {
  stage "clang, warnings are errors" clang_build
  stage "clang-tidy" tidy
  stage "build for the thread sanitizer" threads_build
}

extra_build() { configure_and_build build-extra -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON -DGPUBENCH_CUDA=OFF "${python[@]}"; }

torch_guests() { # guests that the other stages skip because they have no PyTorch
  GPUBENCH_TORCH=1 run_ctest build-extra -R '^e2e/(python|python_loader|foreign)$'
}

# Compiles kernels only for the compiler's diagnostics, because none runs here: to PTX, those for Hopper to machine
# code, and almost without optimization, which takes a third of the time. The assembler's remarks on wgmma (C7520) are
# then expected. Compressed, what is not optimized shrinks to a tenth, and each run of a test hashes its plugins.
main_build() {
  local nvcc quickly=()
  if nvcc=$(find_nvcc); then
    quickly=(-DCMAKE_CUDA_ARCHITECTURES=90a-virtual "-DCMAKE_CUDA_FLAGS=-Werror=all-warnings -Xfatbin=-compress-all"
      -DCMAKE_CUDA_COMPILER_LAUNCHER=)
    grep -q -- --Ofast-compile <<<"$("$nvcc" --help)" && quickly+=("-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG --Ofast-compile=max")
  fi
  configure_and_build build-ci -DCMAKE_BUILD_TYPE=Release -DGPUBENCH_WERROR=ON -DGPUBENCH_SANITIZED_TESTS=OFF "${quickly[@]}" \
    "${python[@]}" | grep -v C7520
}

kernels_build() { # optimized as in a release; fails if a kernel spills registers
  configure_and_build build-kernels -DCMAKE_BUILD_TYPE=Release -DGPUBENCH_WERROR=ON -DBUILD_TESTING=OFF -DGPUBENCH_CUDA=ON \
    -DCMAKE_CUDA_COMPILER_LAUNCHER="$(pwd)/tests/no_spills.sh"
}

if [[ ${1:-} == --all ]]; then
  export GPUBENCH_NO_SKIP=1 # a test fails if it would skip for a package that is installed here
  export GPUBENCH_TORCH=0 # even if PyTorch is installed: that is a stage of --extra
  python=(-DPython3_EXECUTABLE=/usr/bin/python3) # the interpreter that apt's Python modules belong to
  PATH=/usr/bin:$PATH # the same for scripts; a version manager's python3 takes three times as long to start
  say "packages"
  install_packages "${packages_all[@]}"
  stage "format" format
  stage "abi" sdk/abi/check.sh
  stage "headers" tests/abi/headers.sh
  stage "gcc, warnings are errors$(find_nvcc >/dev/null && echo ', with CUDA')" main_build
  find_nvcc >/dev/null || echo "skipped: CUDA build (no nvcc)"
  begin_beside builds_beside # the tests sleep for a third of their time
  stage "tests, but those that sanitizers examine" run_ctest build-ci -LE 'slow|sanitized|extra'
  end_beside
  stage "address and undefined-behaviour sanitizers" sanitizers
  stage "thread sanitizer" thread_sanitizer
  stage "fuzzing, the same 3000 inputs each time" tests/fuzz/run.sh all 300 build-sanitize 3000
elif [[ ${1:-} == --extra ]]; then
  say "packages of this machine"
  install_packages "${packages_extra[@]}"
  cuda=()
  [[ ! -x /usr/local/cuda/bin/nvcc ]] || cuda=(--cuda)
  if find_nvcc >/dev/null; then stage "kernels, none of which spills" kernels_build; fi
  stage "packages: the DEB and the TGZ" ci/packages.sh "${cuda[@]}"
  stage "aarch64" ci/aarch64.sh
  stage "workflow files of a nightly" ci/workflows.sh
  python=(-DPython3_EXECUTABLE=/usr/bin/python3)
  stage "build" extra_build
  stage "the gate of the ABI itself" tests/abi/gate.sh
  stage "installations, and what takes compilers minutes" run_ctest build-extra -L extra
  stage "guests in PyTorch" torch_guests
  stage "jobs for Slurm" tests/slurm/run.sh build-extra
  stage "containers" ci/containers/test.sh build-extra
elif (($# == 0)); then
  say "packages"
  install_packages "${packages_test[@]}"
  stage "build" configure_and_build build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON "${python[@]}"
  stage "tests" run_ctest build -L 'unit|smoke|integration|gpu' -LE 'browser|slow|long'
else
  die "usage: ci/test.sh [--all | --extra]"
fi

if ((${#failed[@]})); then
  printf '\nFAILED:'
  printf ' [%s]' "${failed[@]}"
  printf '\n'
  exit 1
fi
