# cpack reads this file once for each kind of package.
if(CPACK_GENERATOR STREQUAL "TGZ")
  list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${build}" gpubench libraries /)
  string(TOLOWER "${CPACK_PACKAGE_NAME}-${CPACK_PACKAGE_VERSION}-${CPACK_SYSTEM_NAME}" name)
  set(CPACK_PACKAGE_FILE_NAME "${name}${CPACK_GPUBENCH_TARGET}")
endif()
