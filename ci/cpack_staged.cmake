# When cpack has staged the files of a package, it has overwritten the install manifest. Removes it: `uninstall` must
# not take the manifest of a package for that of an install.
file(GLOB manifests "${CPACK_GPUBENCH_BUILD}/install_manifest*.txt")
file(REMOVE ${manifests})
