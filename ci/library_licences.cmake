# Runs with the install of component "libraries": installs the licence of each library, from the package that owns it,
# if dpkg knows one.
find_program(dpkg_query dpkg-query)
file(GLOB libraries RELATIVE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/*.so.*")
foreach(library IN LISTS libraries)
  if(dpkg_query)
    execute_process(COMMAND ${dpkg_query} --search "*/${library}" OUTPUT_VARIABLE owner ERROR_QUIET)
  endif()
  string(REGEX MATCH "^[^:,]+" package "${owner}")
  if(package AND EXISTS /usr/share/doc/${package}/copyright)
    file(INSTALL /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_PREFIX}/share/doc/gpubench/libraries
      RENAME ${package} FOLLOW_SYMLINK_CHAIN)
  else()
    message(WARNING "no licence found for ${library}: add one before you give this tree away")
  endif()
endforeach()
