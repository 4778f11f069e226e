#!/usr/bin/env bash
# test.sh [--all | --extra]
# The tests. Without an argument: builds, and runs the unit and smoke tests, the integration tests that are not long, and on a
# GPU those that need one; 5 minutes on 2 cores that do nothing else, packages apart. --all: what a change has to pass: all
# tests but the slow ones, both compilers without a warning, clang's with its sanitizers, format, clang-tidy, layers, headers,
# the ABI gates, the simulations of the statistics, the browser and, where nvcc is, the CUDA build, of which no kernel is run,
# nor optimized. --extra: only on request, as root, with a Debian mirror: the kernels as they are run, without spilled registers,
# the packages, built and tried in roots of their own (ci/packages.sh, with CUDA where it is), host and plugins for aarch64 under
# QEMU (ci/aarch64.sh), the lines of the ready workflow files (ci/workflows.sh), the guests in PyTorch, the jobs for Slurm, and an
# image. It takes an hour. Every stage is run even after one has failed; the status is 1 if any has.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

failed=() python=()
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# $worked: the seconds that processors have worked for children so far, which a shell knows of its own alone
work() {
  times >"$scratch/times"
  worked=$(awk -F '[ms ]+' 'END { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }' "$scratch/times")
}

# stage NAME COMMAND...: runs it with errexit in force and goes on
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

sources() {
  { git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' 2>/dev/null ||
      find host reports plugins sdk tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; } | sort -u
}

format() { sources | xargs -n 50 -P "$(jobs)" clang-format --dry-run --Werror; }

# what takes one processor each: both at the same time
headers_and_gate() {
  local failed=0
  tests/abi/gate.sh >"$scratch/gate" 2>&1 &
  tests/abi/headers.sh || failed=1
  wait $! || failed=1
  cat "$scratch/gate"
  return $failed
}

tidy() {
  # what clang itself compiled, each file once; CUDA sources are nvcc's matter
  python3 - build-sanitize/compile_commands.json build-tidy <<'EOF'
import json, os, sys
once = {entry["file"]: entry for entry in json.load(open(sys.argv[1]))}
os.makedirs(sys.argv[2], exist_ok=True)
json.dump(list(once.values()), open(sys.argv[2] + "/compile_commands.json", "w"))
EOF
  run-clang-tidy -quiet -p build-tidy -j "$(jobs)" "$(pwd)/(host|reports|plugins|sdk)/.*\.c$" >build-tidy/tidy.log 2>&1 && return
  grep -E '(warning|error):' build-tidy/tidy.log | sort -u
  return 1
}

# run_ctest FOLDER OPTION...; three times as many at a time as there are cores: many wait for the clock
run_ctest() {
  local folder=$1
  shift
  # threads that wait for the next parallel region would keep the others' processors: half of all processor time
  OMP_WAIT_POLICY=passive ctest --test-dir "$folder" -j $((3 * $(jobs))) --output-on-failure --no-tests=error --output-junit junit.xml "$@"
}

# With the sanitizers, and what fuzzing counts: warnings are the same with them, and one build is enough for three stages. lld, for there
# are many to link and each is large.
clang_build() {
  CC=clang CXX=clang++ configure_and_build build-sanitize -DCMAKE_BUILD_TYPE=Debug -DGPUBENCH_WERROR=ON -DGPUBENCH_CUDA=OFF \
    -DGPUBENCH_SANITIZE=address,undefined -DGPUBENCH_FUZZ=ON -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld "${python[@]}"
}

sanitizers() {
  # the crashes of the test plugins are to reach the host as signals, and 1 PB is to be refused, not reported
  export ASAN_OPTIONS=handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:handle_sigbus=0:allocator_may_return_null=1
  export UBSAN_OPTIONS=print_stacktrace=1
  # host and plugins are what is examined here: not what reads their outputs, breaks its heap on purpose or measures it
  GPUBENCH_LOUD_TIMES=2000 run_ctest build-sanitize -L 'unit|smoke|integration' -LE 'browser|gpu|slow' \
    -R '^(unit|smoke|symbols)|e2e/(usage|options|suite|bad_plugins|hostile_text|fake|services|threads)$'
}

# `log` and `fail` are the services that plugins call from any thread: 2,000 times from each of two, 20,000 where no sanitizer is
thread_sanitizer() {
  local log
  generator build-threads
  log=$(cmake "${generator[@]}" -S . -B build-threads -DCMAKE_BUILD_TYPE=Debug -DGPUBENCH_WERROR=ON -DGPUBENCH_CUDA=OFF \
    -DGPUBENCH_SANITIZE=thread "${python[@]}" 2>&1) || { echo "$log"; return 1; }
  cmake --build build-threads --parallel "$(jobs)" --target gpubench threads
  GPUBENCH_LOUD_TIMES=2000 run_ctest build-threads -R '^e2e/threads$'
}

extra_build() { configure_and_build build-extra -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON -DGPUBENCH_CUDA=OFF "${python[@]}"; }

torch_guests() { # what the other stages skip for want of PyTorch
  GPUBENCH_TORCH=1 run_ctest build-extra -R '^e2e/(python|python_loader|foreign)$'
}

# Kernels are compiled for what the compiler says of them, for none runs here: to PTX, those of Hopper to machine code, and next to
# nothing is optimized, which takes a third of the time. What the assembler says of wgmma then is no news.
main_build() {
  local nvcc quickly=()
  if nvcc=$(find_nvcc); then
    quickly=(-DCMAKE_CUDA_ARCHITECTURES=90a-virtual -DCMAKE_CUDA_FLAGS=-Werror=all-warnings -DCMAKE_CUDA_COMPILER_LAUNCHER=)
    grep -q -- --Ofast-compile <<<"$("$nvcc" --help)" && quickly+=("-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG --Ofast-compile=max")
  fi
  configure_and_build build-ci -DCMAKE_BUILD_TYPE=Release -DGPUBENCH_WERROR=ON "${quickly[@]}" "${python[@]}" | grep -v C7520
}

kernels_build() { # as they are run; none may spill a register
  configure_and_build build-kernels -DCMAKE_BUILD_TYPE=Release -DGPUBENCH_WERROR=ON -DBUILD_TESTING=OFF -DGPUBENCH_CUDA=ON \
    -DCMAKE_CUDA_COMPILER_LAUNCHER="$(pwd)/tests/no_spills.sh"
}

if [[ ${1:-} == --all ]]; then
  export GPUBENCH_NO_SKIP=1 # a test that lacks something which is installed here fails
  export GPUBENCH_TORCH=0 # even where it is: --extra has it
  python=(-DPython3_EXECUTABLE=/usr/bin/python3) # the one that apt's modules belong to
  say "packages"
  install_packages "${packages_all[@]}"
  stage "format" format
  stage "layers" tests/layers.sh
  stage "abi" sdk/abi/check.sh
  stage "headers, and the gate of the ABI itself" headers_and_gate
  stage "clang, warnings are errors" clang_build
  stage "clang-tidy" tidy
  stage "address and undefined-behaviour sanitizers" sanitizers
  stage "thread sanitizer" thread_sanitizer
  stage "gcc, warnings are errors$(find_nvcc >/dev/null && echo ', with CUDA')" main_build
  find_nvcc >/dev/null || echo "skipped: CUDA build (no nvcc)"
  stage "symbols" tests/abi/symbols.sh build-ci/bin/gpubench build-ci/lib/gpubench/plugins/*.so
  stage "tests" run_ctest build-ci -LE slow
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
