# Read by cpack before each package.

# The times in it are that of the commit, so that two builds make the same bytes.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND git -C ${CPACK_GPULAB_SOURCE} log -1 --format=%ct OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE
                    ERROR_QUIET)
    if(seconds)
        set(ENV{SOURCE_DATE_EPOCH} ${seconds})
    endif()
endif()

# An archive is unpacked anywhere, and bin/gpulab runs from there; its units are for /usr/local.
if(CPACK_GENERATOR STREQUAL TGZ)
    set(CPACK_PACKAGING_INSTALL_PREFIX "")
    set(ENV{GPULAB_PACKAGE_PREFIX} /usr/local)
else()
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(ENV{GPULAB_PACKAGE_PREFIX} /usr)
endif()
