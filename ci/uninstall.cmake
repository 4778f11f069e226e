# The target `uninstall`: removes the files that the last `cmake --install` of the folder BUILD listed, and our folders
# that are empty then.
file(GLOB manifests "${BUILD}/install_manifest*.txt")
if(NOT manifests)
  message(FATAL_ERROR "${BUILD} has no install_manifest.txt: nothing was installed from it, or a package was made since. "
    "Install once more to the same place, then uninstall.")
endif()
set(removed 0)
foreach(manifest IN LISTS manifests)
  file(STRINGS "${manifest}" files)
  foreach(file IN LISTS files)
    set(file "$ENV{DESTDIR}${file}")
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
      file(REMOVE "${file}")
      math(EXPR removed "${removed} + 1")
    endif()
    set(result 0)
    while(result EQUAL 0)
      cmake_path(GET file PARENT_PATH file)
      set(result 1)
      if(file MATCHES "/gpubench") # other folders may belong to any package
        execute_process(COMMAND rmdir "${file}" RESULT_VARIABLE result ERROR_QUIET) # fails unless it is empty
      endif()
    endwhile()
  endforeach()
  file(REMOVE "${manifest}")
endforeach()
message(STATUS "gpubench: ${removed} files removed")
