# Builds plugins, in gpubench's own tree and from an installed SDK. Defines the target gpubench::sdk and
#
#   gpubench_add_plugin(NAME SOURCES...)
#
# This makes the module NAME.so: without a "lib" prefix, with all symbols hidden but the entry, no undefined symbols and
# binding at load time. If a source is a .cu file the CUDA runtime is linked statically; the project must have enabled
# the language CUDA before. NAME is an ordinary target: target_link_libraries() and target_compile_options() work on it.
#
#   gpubench_add_plugin(NAME src/lib.rs OPTIONS...)
#
# This makes the same from Rust and needs only rustc, which gets OPTIONS and the environment's RUSTFLAGS. NAME is then an
# imported target, and $<TARGET_FILE:NAME> is the module.
include_guard(GLOBAL)

# The folder of this file: sdk/cmake in the tree, lib/cmake/gpubench when installed. An installed gpubenchConfig.cmake
# sets the folders of the headers and of the Rust crate before it includes this file; in the tree they are siblings.
set(GPUBENCH_SDK_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
if(NOT DEFINED GPUBENCH_SDK_INCLUDE_DIR)
  get_filename_component(GPUBENCH_SDK_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
  get_filename_component(GPUBENCH_SDK_RUST_DIR "${CMAKE_CURRENT_LIST_DIR}/../rust" ABSOLUTE)
endif()

if(NOT TARGET gpubench::sdk)
  add_library(gpubench::sdk INTERFACE IMPORTED GLOBAL)
  target_include_directories(gpubench::sdk INTERFACE "${GPUBENCH_SDK_INCLUDE_DIR}")
endif()

# Compiles the crate gpubench first, into this plugin's build folder.
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
  # A sanitizer's run-time library is linked into the executable, so its symbols stay undefined in a module.
  get_target_property(options ${name} LINK_OPTIONS) # these include the directory's options
  if(NOT GPUBENCH_SANITIZE AND NOT "${options};${CMAKE_MODULE_LINKER_FLAGS};${CMAKE_C_FLAGS}" MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE "LINKER:-z,defs")
  endif()
endfunction()
