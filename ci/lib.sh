# shellcheck shell=bash disable=SC2034
# Packages and small helpers for the scripts here; sourced, not run. Packages are installed by apt on Debian and Ubuntu.
# Elsewhere, or without the rights, install_packages() lists the missing ones and exits. Packages that are present are
# never touched.

packages_build=(build-essential cmake pkg-config libinih-dev libcsv-dev libmd-dev libgraphviz-dev libxxhash-dev
  liburing-dev libsqlite3-dev zlib1g-dev)
packages_night=("${packages_build[@]}" git python3)
packages_test=("${packages_build[@]}" libcunit1-dev libopenblas0 python3 python3-numpy)
packages_all=("${packages_test[@]}" ninja-build lld clang libclang-rt-14-dev libomp-dev clang-format clang-tidy abigail-tools
  chromium chromium-driver python3-selenium npm default-jre-headless poppler-utils
  python3-pandas python3-scipy python3-jsonschema python3-prometheus-client python3-junitparser
  libbenchmark-tools libxml2-utils cmark-gfm valgrind cargo rustc)
packages_extra=("${packages_test[@]}" git debootstrap buildah patchelf npm python3-torch python3-yaml python3-jsonschema
  slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge)

# Tests use the program that is built here, not one that the reader's environment names.
unset GPUBENCH_BIN GPUBENCH_TEST_PLUGINS

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

have_command() { command -v "$1" >/dev/null 2>&1; }
have_header() { printf '#include <%s>\n' "$1" | "${CC:-cc}" -E -x c - >/dev/null 2>&1; }

# Succeeds if the package is usable, however it was installed.
have_package() {
  case $1 in
    build-essential) have_command "${CC:-cc}" && have_command c++ && have_command make ;;
    cmake | pkg-config | git | debootstrap | buildah | patchelf | python3 | clang | clang-format | clang-tidy | chromium | npm | cmark-gfm | valgrind | cargo | rustc) have_command "$1" ;;
    slurmctld | slurmd) have_command "$1" || [[ -x /usr/sbin/$1 ]] ;;
    slurm-client) have_command sbatch ;;
    slurm-wlm-basic-plugins) compgen -G '/usr/lib/*/slurm*/gres_gpu.so' >/dev/null ;;
    munge) have_command munged || [[ -x /usr/sbin/munged ]] ;;
    default-jre-headless) have_command java ;;
    ninja-build) have_command ninja ;;
    lld) have_command ld.lld ;;
    poppler-utils) have_command pdftotext ;;
    libbenchmark-tools) [[ -e /usr/share/benchmark/compare.py ]] ;;
    libclang-rt-*) have_command clang && printf "int LLVMFuzzerTestOneInput(void){return 0;}" | clang -fsanitize=fuzzer,address -x c -o /dev/null - 2>/dev/null ;;
    chromium-driver) have_command chromedriver ;;
    libomp-dev) have_command clang && printf "int main(void){return 0;}" | clang -fopenmp -x c -o /dev/null - 2>/dev/null ;;
    abigail-tools) have_command abidw && have_command abidiff ;;
    libxml2-utils) have_command xmllint ;;
    libinih-dev) have_command pkg-config && pkg-config --exists inih ;;
    libmd-dev) have_command pkg-config && pkg-config --exists libmd ;;
    libgraphviz-dev) have_command pkg-config && pkg-config --exists libgvc ;;
    libcunit1-dev) have_command pkg-config && pkg-config --exists cunit ;;
    libcsv-dev) have_header csv.h ;;
    libxxhash-dev) have_header xxhash.h ;;
    liburing-dev) have_header liburing.h ;;
    libsqlite3-dev) have_header sqlite3.h ;;
    zlib1g-dev) have_header zlib.h ;;
    libopenblas0) grep -qF libopenblas.so.0 <<<"$(/sbin/ldconfig -p)" ;;
    python3-*) have_command /usr/bin/python3 && /usr/bin/python3 -c "import $(tr - _ <<<"${1#python3-}")" 2>/dev/null ;;
    *) die "how to see whether $1 is there is not written in have_package" ;;
  esac
}

# install_packages NAME...: installs the missing ones, after showing what apt will do
install_packages() {
  local missing=() package plan as_root=()
  for package; do have_package "$package" || missing+=("$package"); done
  if ((${#missing[@]} == 0)); then
    echo "packages: all there"
    return
  fi
  have_command apt-get || die "these are missing, and there is no apt-get here to install them: ${missing[*]}
Install what they hold in your system's way and run this again: compiler, make, CMake >= 3.22, pkg-config, and the
development files of inih, libcsv, libmd, SQLite and zlib are enough to build; those of Graphviz add the diagrams, those of xxHash the
plugin data_pipeline, those of liburing its io_uring variants."
  if ((EUID != 0)); then
    have_command sudo || die "these packages are missing: ${missing[*]}
You are not root and there is no sudo. Ask for:  apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
    echo "packages: sudo may ask for your password"
  fi
  "${as_root[@]}" apt-get update -qq || echo "packages: apt-get update failed; going on with the lists that are there" >&2
  # --assume-no prints the plan and answers no, so it always fails.
  plan=$(LC_ALL=C apt-get install --no-install-recommends --assume-no "${missing[@]}" 2>&1) || true
  grep -q 'newly installed' <<<"$plan" || die "apt cannot install ${missing[*]}:
$plan"
  echo "packages: apt installs ${missing[*]} and what they need:"
  grep -E 'newly installed|Need to get|After this operation' <<<"$plan" | sed 's/^/  /'
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null || die "apt-get install failed: see above"
  for package in "${missing[@]}"; do
    have_package "$package" || die "apt installed $package, and it still cannot be used"
  done
}

find_nvcc() { command -v nvcc || { [[ -x /usr/local/cuda/bin/nvcc ]] && echo /usr/local/cuda/bin/nvcc; }; }

jobs() { nproc 2>/dev/null || echo 2; }

# generator FOLDER: sets $generator to Ninja's option if Ninja is there and FOLDER is new: make itself takes a tenth of
# a build
generator() {
  generator=()
  [[ -e $1/CMakeCache.txt ]] || ! have_command ninja || generator=(-G Ninja)
}

# configure_and_build FOLDER CMAKE-OPTION...: prints cmake's output only if it fails
configure_and_build() {
  local folder=$1 log
  shift
  generator "$folder"
  log=$(cmake "${generator[@]}" -S . -B "$folder" "$@" 2>&1) || die "cmake failed:
$log"
  grep -E '^-- gpubench:' <<<"$log" || true
  # One job more than cores, for those that wait for files; Ninja's default on two cores, too.
  cmake --build "$folder" --parallel $(($(jobs) + 1))
}
