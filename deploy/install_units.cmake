# Run when gpulab is installed: the units, with the folders that they are installed for: those below the prefix of this installation, or
# below that which a package or an archive stands for (package/cpack.cmake). From outside: `units` is the folder of the sources, `made`
# one of the build; BINDIR and DATADIR are absolute, or below the prefix.
set(prefix "$ENV{GPULAB_PACKAGE_PREFIX}")
if(prefix STREQUAL "")
    set(prefix ${CMAKE_INSTALL_PREFIX})
endif()
foreach(folder IN ITEMS BINDIR DATADIR)
    cmake_path(ABSOLUTE_PATH ${folder} BASE_DIRECTORY ${prefix} OUTPUT_VARIABLE GPULAB_${folder})
endforeach()
foreach(name IN ITEMS gpulab.service gpulab-nightly.service gpulab-backup.service)
    configure_file(${units}/${name}.in ${made}/${name} @ONLY)
    # systemd looks for units in this folder of /usr and of /usr/local.
    file(INSTALL ${made}/${name} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
endforeach()
