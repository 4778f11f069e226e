# shellcheck shell=bash disable=SC2034
# gpubench's options, as bisect.sh and nightly.sh are given them; sourced, not run.

# find_gpubench FOLDER-OF-SCRIPTS: GPUBENCH becomes the program, or the status is not 0
find_gpubench() {
  local beside
  for beside in "$1/../build/bin/gpubench" "$1/../../../bin/gpubench"; do # of a clone, of a prefix
    if [[ -z ${GPUBENCH:-} && -x $beside ]]; then GPUBENCH=$beside; fi
  done
  GPUBENCH=$(command -v "${GPUBENCH:-gpubench}") && GPUBENCH=$(realpath "$GPUBENCH")
}

# split_options OPTION...: those that choose among rows go to `selection`, those that hold for one run alone nowhere, all others to
# `conditions`, and the number behind --restarts to `restarts`
split_options() {
  selection=() conditions=() restarts=''
  while (($#)); do
    case $1 in
      --restarts) restarts=${2:-}; shift ;;
      --restarts=*) restarts=${1#*=} ;;
      --bench | --variant | --exclude | --preset | --case | --axis | -a | --mode | --baseline | --require) selection+=("$1" "${2:-}"); shift ;;
      --bench=* | --variant=* | --exclude=* | --preset=* | --case=* | --axis=* | -a?* | --mode=* | --baseline=* | --require=*) selection+=("$1") ;;
      --name | --tag | --out | --max-time) shift ;;
      --name=* | --tag=* | --out=* | --max-time=*) ;;
      *) conditions+=("$1") ;;
    esac
    shift || true
  done
}
