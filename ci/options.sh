# shellcheck shell=bash disable=SC2034
# Handling of gpubench's options for bisect.sh and nightly.sh; sourced, not run.

# find_gpubench FOLDER-OF-SCRIPTS: sets GPUBENCH to the program's path; fails if there is none
find_gpubench() {
  local beside
  for beside in "$1/../build/bin/gpubench" "$1/../../../bin/gpubench"; do # in a clone, in an install prefix
    if [[ -z ${GPUBENCH:-} && -x $beside ]]; then GPUBENCH=$beside; fi
  done
  GPUBENCH=$(command -v "${GPUBENCH:-gpubench}") && GPUBENCH=$(realpath "$GPUBENCH")
}

# split_options OPTION...: puts options that select rows into $selection, the number after --restarts into $restarts,
# and all others into $conditions; drops those that concern a single run only
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
