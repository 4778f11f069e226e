# Building plugins, in gpubench's own tree and from an installed SDK alike: the target gpubench::sdk and
#
#   gpubench_add_plugin(NAME SOURCES...)
#
# which makes the module NAME.so: no "lib" prefix, everything hidden but the entry, nothing undefined, bound at load,
# and the CUDA runtime linked statically where a source is .cu (the project enables the language CUDA first).
# NAME is a usual target: target_link_libraries(), target_compile_options() and the like work on it.
#
#   gpubench_add_plugin(NAME src/lib.rs OPTIONS...)
#
# makes the same of Rust, by rustc alone; the options, and RUSTFLAGS of the environment, are rustc's. NAME is an imported
# target then: $<TARGET_FILE:NAME> is the module.
include_guard(GLOBAL)

# Where this file lies: sdk/cmake in the tree, lib/cmake/gpubench when installed. gpubenchConfig.cmake sets the folders
# of headers and of Rust before it includes this; in the tree they are next door.
set(GPUBENCH_SDK_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
if(NOT DEFINED GPUBENCH_SDK_INCLUDE_DIR)
  get_filename_component(GPUBENCH_SDK_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
  get_filename_component(GPUBENCH_SDK_RUST_DIR "${CMAKE_CURRENT_LIST_DIR}/../rust" ABSOLUTE)
endif()

if(NOT TARGET gpubench::sdk)
  add_library(gpubench::sdk INTERFACE IMPORTED GLOBAL)
  target_include_directories(gpubench::sdk INTERFACE "${GPUBENCH_SDK_INCLUDE_DIR}")
endif()

# The crate gpubench comes first, into a folder of this plugin's.
function(gpubench_add_rust_plugin name source)
  find_program(GPUBENCH_RUSTC rustc REQUIRED)
  separate_arguments(flags NATIVE_COMMAND "$ENV{RUSTFLAGS}")
  set(made "${CMAKE_CURRENT_BINARY_DIR}/${name}.so")
  set(crate "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/libgpubench.rlib")
  set(rustc "${GPUBENCH_RUSTC}" --edition 2021 -C opt-level=3 ${flags} ${ARGN})
  get_filename_component(source "${source}" ABSOLUTE)
  get_filename_component(folder "${source}" DIRECTORY)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.rs" "${GPUBENCH_SDK_RUST_DIR}/*.rs")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir")
  add_custom_command(OUTPUT "${made}" DEPENDS ${sources} VERBATIM COMMENT "Building Rust plugin ${name}.so"
    COMMAND ${rustc} --crate-type rlib --crate-name gpubench -o "${crate}" "${GPUBENCH_SDK_RUST_DIR}/gpubench.rs"
    COMMAND ${rustc} --crate-type cdylib --crate-name ${name} --extern "gpubench=${crate}" -o "${made}" "${source}")
  add_custom_target(${name}_rust ALL DEPENDS "${made}")
  add_library(${name} MODULE IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${made}")
  add_dependencies(${name} ${name}_rust)
endfunction()

function(gpubench_add_plugin name)
  if(NOT ARGN)
    message(FATAL_ERROR "gpubench_add_plugin(${name}): no sources")
  endif()
  if(ARGV1 MATCHES "\\.rs$")
    gpubench_add_rust_plugin(${ARGV})
    return()
  endif()
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "${name}" SUFFIX ".so"
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    CUDA_RUNTIME_LIBRARY Static
    LINK_DEPENDS "${GPUBENCH_SDK_CMAKE_DIR}/plugin.map")
  target_link_libraries(${name} PRIVATE gpubench::sdk)
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${GPUBENCH_SDK_CMAKE_DIR}/plugin.map" "LINKER:-z,now")
  # A sanitizer's run-time library comes with the executable, so its symbols are undefined in every module.
  get_target_property(options ${name} LINK_OPTIONS) # the directory's are among them
  if(NOT GPUBENCH_SANITIZE AND NOT "${options};${CMAKE_MODULE_LINKER_FLAGS};${CMAKE_C_FLAGS}" MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE "LINKER:-z,defs")
  endif()
endfunction()
