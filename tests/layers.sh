#!/usr/bin/env bash
# Who may include whom. The table is the rule and its documentation: a file includes its own layer and those below it,
# never one above. Every source file stands in the table once; a new one is added to it.
set -euo pipefail
shopt -s extglob nullglob
cd "$(dirname "$0")/.."

# Layers of the host from top to bottom: NAME and the modules (file names without extension) in it.
layers=(
  'commands  main cmd_* list run run_*'
  'pipeline  rundir rundir_ini resume lock warden supervisor crew request inquire conduct extras worker measure measure_* sampling floor contestant analyse declare describe offers contract contract_* progress'
  'edges     loader loader_* guard guard_* abi register registry scratch services services_* topology instance tensors verify escape phase resident device device_* nvml nvml_* rapl energy_source wire tree cpu_* environment environment_*'
  'planning  settings plan choose cases example filter guests key view'
  'pure      audit pairs label devices denominator energy energy_model graph metric note setting timeline mode cpus conditions leak stats stats_* student order rng precision check record fill err options options_* suite axis quantity text dtype model version'
)
# What reports/ may take from the host: modules of the pure layer that know no plugin and no device.
reports_may='metric note timeline record precision conditions stats stats_math stats_restart text err model graph'
# Headers that only these layers may touch.
only_edges='dlfcn.h nvml.h cuda.h cuda_runtime.h'

failed=0 checked=0
fail() { echo "layers: FAIL: $*" >&2; failed=1; }

# rank MODULE: 0 for the top layer, ascending; empty when it is in none or in two
rank() {
  local i pattern words found=()
  for i in "${!layers[@]}"; do
    read -ra words <<<"${layers[i]}"
    for pattern in "${words[@]:1}"; do
      # shellcheck disable=SC2053 # the right side is a pattern
      if [[ $1 == $pattern ]]; then found+=("$i"); break; fi
    done
  done
  ((${#found[@]} == 1)) && echo "${found[0]}"
  return 0
}

includes() { sed -nE 's/^[ \t]*#[ \t]*include[ \t]*([<"][^>"]+)[>"].*/\1/p' "$1"; } # <x.h and "x.h
module() { local base=${1##*/}; echo "${base%.*}"; }
name_of() { local words; read -ra words <<<"${layers[$1]}"; echo "${words[0]}"; }

# 1. the host's own layers
for file in host/*.c host/*.h host/*.cu host/*.cuh; do
  mine=$(rank "$(module "$file")")
  [[ -n $mine ]] || { fail "$file is in no layer, or in two: add it to the table in $0"; continue; }
  while read -r target; do
    checked=$((checked + 1))
    name=${target:1}
    case $target in
      '<'*)
        for owned in $only_edges; do
          [[ $name == "$owned" && $(name_of "$mine") != edges ]] && fail "$file ($(name_of "$mine")) includes <$name>: only the edges do"
        done ;;
      '"'*)
        if [[ -e reports/${name#reports/} && ! -e host/$name ]]; then
          ((mine <= 1)) || fail "$file ($(name_of "$mine")) includes $name: only commands and pipeline call reports"
          continue
        fi
        [[ $name == *gpubench/* ]] && continue # the SDK is below everything
        theirs=$(rank "$(module "$name")")
        [[ -n $theirs ]] || { fail "$file includes \"$name\", which is in no layer"; continue; }
        ((theirs >= mine)) || fail "$file ($(name_of "$mine")) includes $name ($(name_of "$theirs")): that is upwards" ;;
    esac
  done < <(includes "$file")
done

# 2. reports know records, not plugins and devices
for file in reports/*.c reports/*.h; do
  while read -r target; do
    checked=$((checked + 1))
    name=${target:1}
    if [[ $target == '<gpubench/'* ]]; then fail "$file includes <$name>: reports know nothing of plugins"; fi
    [[ $target == '"'* ]] || continue
    [[ -e reports/${name#reports/} && ! -e host/${name#host/} ]] && continue
    [[ " $reports_may " == *" $(module "$name") "* ]] || fail "$file includes $name: of the host, reports may include only: $reports_may"
  done < <(includes "$file")
done

# 3. plugins know the SDK, themselves and plugins/shared
for file in plugins/*/*.{c,h,cu,cuh,cpp} tests/plugins/*.{c,h}; do
  while read -r target; do
    checked=$((checked + 1))
    name=${target:1}
    [[ $target == '"'* && $name != gpubench/* ]] || continue
    [[ $name == ../shared/* || $name != */* ]] && [[ -e $(dirname "$file")/$name ]] ||
      fail "$file includes \"$name\": a plugin has <gpubench/...>, its own folder and plugins/shared"
  done < <(includes "$file")
done

# 4. the SDK knows nothing at all
for file in sdk/include/gpubench/*.h sdk/include/gpubench/ext/*.h; do
  while read -r target; do
    checked=$((checked + 1))
    name=${target:1}
    [[ $target == '<'* || -e $(dirname "$file")/$name ]] || fail "$file includes $name from outside the SDK"
  done < <(includes "$file")
done

((checked > 0)) || fail "found no #include at all"
((failed)) || echo "layers: ok: $checked includes"
exit "$failed"
