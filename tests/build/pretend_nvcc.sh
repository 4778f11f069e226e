#!/usr/bin/env bash
# Stands in for nvcc when CMake looks for it and tests it: compiles its input as C++. It is placed in ROOT/bin. The file
# ROOT/version holds its version ("12.8"), ROOT/refuses an architecture that it does not support ("90a"), if any.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
version=$(<"$root/version")
refuses=$(<"$root/refuses")
case " $* " in
  *" --version "*)
    echo "nvcc: NVIDIA (R) Cuda compiler driver"
    echo "Cuda compilation tools, release $version, V$version.1"
    exit ;;
  *" __cmake_determine_cuda "*) echo "#\$ TOP=$root"; exit ;;
esac
if [[ -n $refuses && $* == *compute_"$refuses"* ]]; then
  echo "nvcc fatal   : Unsupported gpu architecture 'compute_$refuses'" >&2
  exit 1
fi
arguments=()
while (($#)); do
  case $1 in
    -gencode | --keep-dir | -Xcompiler | -ccbin) shift ;;
    --keep | -v | --generate-code=* | -arch=* | -cudart* | -forward-unknown-to-host-compiler) ;;
    -x) shift ;; # its value: cu
    *.cu) arguments+=(-x c++ "$1" -x none) ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
echo "#\$ TOP=$root
#\$ PATH=$PATH
#\$ INCLUDES=\"-I$root/include\"
#\$ LIBRARIES=  \"-L$root/lib64\"
#\$ cicc
#\$ g++ -Wl,--start-group a.o  \"-L$root/lib64\" -lcudadevrt -lcudart_static -Wl,--end-group -o a.out" >&2
exec g++ -D__NVCC__ -D__CUDACC__ -D__CUDACC_VER_MAJOR__="${version%.*}" -D__CUDACC_VER_MINOR__="${version#*.}" \
  -D__CUDACC_VER_BUILD__=1 -I"$root/include" "${arguments[@]}"
