# Which CUDA, if any. The user's wins: -DCMAKE_CUDA_COMPILER, $CUDACXX, the nvcc on the PATH, /usr/local/cuda, in this order;
# architectures are those of -DCMAKE_CUDA_ARCHITECTURES or $CUDAARCHS. GPUBENCH_CUDA is then ON or OFF.
#   ON    an nvcc that is missing, too old or cannot build is an error
#   AUTO  the same is one line and a build without CUDA; but who names a compiler means it: then as ON
set(GPUBENCH_CUDA_LEAST 12.0) # sm_90a; a driver has to serve the toolkit's major version: 525 for 12, 580 for 13

# Says why there is no CUDA, in AUTO; an error otherwise.
macro(gpubench_no_cuda why)
  if(gpubench_cuda_automatic)
    message(STATUS "gpubench: CUDA OFF: ${why}")
    unset(CMAKE_CUDA_COMPILER CACHE) # or the next time it would be one that was asked for
    set(GPUBENCH_CUDA OFF)
  else()
    message(FATAL_ERROR "gpubench: CUDA was asked for, and ${why}")
  endif()
endmacro()

if(NOT GPUBENCH_CUDA)
  message(STATUS "gpubench: CUDA OFF")
  return()
endif()

set(gpubench_cuda_automatic OFF)
if(GPUBENCH_CUDA STREQUAL "AUTO" AND NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "")
  set(gpubench_cuda_automatic ON)
endif()
if(NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "")
  find_program(nvcc nvcc PATHS /usr/local/cuda/bin NO_CACHE)
  if(NOT nvcc)
    gpubench_no_cuda("no nvcc is on the PATH or in /usr/local/cuda/bin")
    return()
  endif()
  set(ENV{CUDACXX} ${nvcc}) # which CMake heeds
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
  set(CMAKE_CUDA_ARCHITECTURES 90a-real)
endif()

# If CUDA is optional, it is tried in a project aside: enable_language() stops at a compiler that cannot build.
if(gpubench_cuda_automatic)
  set(asked "$ENV{CUDAARCHS}")
  if(DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(ENV{CUDAARCHS} "${CMAKE_CUDA_ARCHITECTURES}")
  endif()
  set(tried "${nvcc} for $ENV{CUDAARCHS}")
  include(CheckLanguage)
  unset(CMAKE_CUDA_COMPILER CACHE)
  check_language(CUDA)
  set(ENV{CUDAARCHS} "${asked}")
  if(NOT CMAKE_CUDA_COMPILER)
    gpubench_no_cuda("${tried} cannot build: see ${CMAKE_BINARY_DIR}/CMakeFiles/CMakeError.log; -DGPUBENCH_CUDA=OFF to be silent")
    return()
  endif()
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS GPUBENCH_CUDA_LEAST)
  gpubench_no_cuda("${CMAKE_CUDA_COMPILER} is ${CMAKE_CUDA_COMPILER_VERSION}: ${GPUBENCH_CUDA_LEAST} is the oldest that will do")
  return()
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
find_package(CUDAToolkit REQUIRED)
set(GPUBENCH_CUDA ON)
message(STATUS "gpubench: CUDA ${CUDAToolkit_VERSION}: ${CMAKE_CUDA_COMPILER} for ${CMAKE_CUDA_ARCHITECTURES}")
