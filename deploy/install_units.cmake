# Run when gpulab is installed: the units with the folders of the prefix that they are installed to, or of that which a package or an
# archive stands for (package/cpack.cmake). `units` is the folder of the sources, `made` one of the build.
set(prefix "$ENV{GPULAB_PACKAGE_PREFIX}")
if(prefix STREQUAL "")
    set(prefix ${CMAKE_INSTALL_PREFIX})
endif()
foreach(name IN ITEMS gpulab.service gpulab-nightly.service gpulab-nightly.timer gpulab-backup.service gpulab-backup.timer)
    file(READ ${units}/${name} unit)
    string(REPLACE /usr/local/ ${prefix}/ unit "${unit}")
    file(WRITE ${made}/${name} "${unit}")
    # systemd looks for units in this folder of /usr and of /usr/local.
    file(INSTALL ${made}/${name} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
endforeach()
