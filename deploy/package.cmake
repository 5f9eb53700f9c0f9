# Packages, with what install.cmake installs, in /usr whatever the preset and the prefix of the build are:
#
#   cmake --preset release -DGPULAB_TESTS=OFF && cmake --build --preset release
#   cd build/release && cpack -G DEB            # or RPM (needs rpmbuild), or TGZ
#
# Two builds of a commit make the same bytes where compilers and libraries are the same: times in packages are that of the commit, or
# SOURCE_DATE_EPOCH.
set(CPACK_PACKAGE_NAME gpulab)
set(CPACK_PACKAGE_VENDOR "the gpulab maintainers")
set(CPACK_PACKAGE_CONTACT "the gpulab maintainers <maintainers@gpulab.invalid>" CACHE STRING "Name and address in packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lab for GPUs behind one HTTP address")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL gpulab)
if(TARGET gpulab-mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/package/cpack.cmake)
set(CPACK_GPULAB_SOURCE ${PROJECT_SOURCE_DIR})
set(scripts ${CMAKE_CURRENT_SOURCE_DIR}/package)

# Debian wants a changelog in a form of its own.
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog)
configure_file(package/changelog ${changelog} @ONLY)
execute_process(COMMAND gzip -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${changelog}.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET gpulab-mpi)
    install(FILES ${changelog}.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}-mpi COMPONENT mpi)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}-mpi RENAME copyright COMPONENT mpi)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_GPULAB_PACKAGE_NAME gpulab)
set(CPACK_DEBIAN_GPULAB_PACKAGE_DEPENDS systemd)
set(CPACK_DEBIAN_GPULAB_PACKAGE_RECOMMENDS bubblewrap)
set(CPACK_DEBIAN_GPULAB_PACKAGE_SUGGESTS "gpulab-mpi, libopenblas0, python3")
set(CPACK_DEBIAN_GPULAB_PACKAGE_CONTROL_EXTRA ${scripts}/postinst ${scripts}/prerm ${scripts}/postrm)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME gpulab-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "gpulab (= ${PROJECT_VERSION}), openmpi-bin")

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_GPULAB_PACKAGE_NAME gpulab)
set(CPACK_RPM_GPULAB_PACKAGE_SUGGESTS "bubblewrap, gpulab-mpi")
set(CPACK_RPM_GPULAB_POST_INSTALL_SCRIPT_FILE ${scripts}/postinst)
set(CPACK_RPM_GPULAB_PRE_UNINSTALL_SCRIPT_FILE ${scripts}/prerm)
set(CPACK_RPM_GPULAB_POST_UNINSTALL_SCRIPT_FILE ${scripts}/postrm)
set(CPACK_RPM_MPI_PACKAGE_NAME gpulab-mpi)
set(CPACK_RPM_MPI_PACKAGE_REQUIRES "gpulab = ${PROJECT_VERSION}")
# Folders that belong to other packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /usr/include /usr/lib /usr/lib/systemd /usr/lib/systemd/system /usr/lib/sysusers.d /usr/libexec /usr/share /usr/share/doc
    /usr/share/man /usr/share/man/man1 /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh
    /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d)
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost localhost")
include(CPack)
cpack_add_component(gpulab REQUIRED DESCRIPTION
"Lists the GPUs of a machine, runs parameterised experiments on them
(copies, memory, execution, matrix products, several GPUs, kernels and
programs of one's own), verifies every result, and keeps all of it in an
SQLite database, with a web page of charts and lessons.")
cpack_add_component(mpi DEPENDS gpulab DESCRIPTION "The processes of gpulab's experiment mpi, which need Open MPI.")
