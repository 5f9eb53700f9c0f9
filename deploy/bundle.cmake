# Fills the bundle folder, which CMakeLists.txt describes. Run with -DBUNDLE, -DPROGRAMS (a list), -DSTRIP,
# -DTESTS (the folder of gpu.sh) and -DLICENSE.
file(REMOVE_RECURSE ${BUNDLE})
file(MAKE_DIRECTORY ${BUNDLE}/bin ${BUNDLE}/lib)
foreach(program IN LISTS PROGRAMS)
    file(COPY ${program} DESTINATION ${BUNDLE}/bin)
endforeach()
file(COPY ${TESTS}/gpu.sh ${LICENSE} DESTINATION ${BUNDLE})
file(GLOB parts ${TESTS}/gpu/*.sh)
file(COPY ${parts} ${TESTS}/gpu/kernels ${TESTS}/gpu/challenges ${TESTS}/gpu/cheats DESTINATION ${BUNDLE}/gpu)

# Not bundled: glibc, which must be that of the target system, MPI, which must be that of its mpirun, and the libraries of its
# driver.
set(not_bundled
    [[^ld-linux]] [[^libc\.so]] [[^libm\.so]] [[^libmvec\.so]] [[^libpthread\.so]] [[^libdl\.so]] [[^librt\.so]]
    [[^libresolv\.so]] [[^libutil\.so]] [[^libnsl\.so]] [[^libnss_]] [[^linux-vdso]] [[^libcuda\.so]] [[^libnvidia-]] [[^libmpi\.so]])
file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES ${PROGRAMS}
    RESOLVED_DEPENDENCIES_VAR libraries
    UNRESOLVED_DEPENDENCIES_VAR missing
    PRE_EXCLUDE_REGEXES ${not_bundled})
if(missing)
    message(FATAL_ERROR "bundle: these libraries were not found: ${missing}")
endif()
foreach(library IN LISTS libraries)
    file(COPY ${library} DESTINATION ${BUNDLE}/lib FOLLOW_SYMLINK_CHAIN)
endforeach()

file(GLOB stripped ${BUNDLE}/bin/* ${BUNDLE}/lib/*)
set(size 0)
foreach(file IN LISTS stripped)
    if(NOT IS_SYMLINK ${file})
        execute_process(COMMAND ${STRIP} --strip-unneeded ${file} COMMAND_ERROR_IS_FATAL ANY)
        file(SIZE ${file} bytes)
        math(EXPR size "${size} + ${bytes}")
    endif()
endforeach()
math(EXPR mebibytes "(${size} + 1048575) / 1048576")
message(STATUS "bundle: ${BUNDLE}, ${mebibytes} MiB")
