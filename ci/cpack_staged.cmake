# cpack has put the files of a package together, and has overwritten the list of what was installed: `uninstall` must not
# take the one for the other.
file(GLOB manifests "${CPACK_GPUBENCH_BUILD}/install_manifest*.txt")
file(REMOVE ${manifests})
