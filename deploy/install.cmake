# What `cmake --install` installs, which is also what the packages contain (package.cmake). bin has the program that people start;
# those that it starts are in libexec/gpulab, and find each other by the way from one to the other (kernels/core/program.h).
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME gpulab)
set(helpers ${CMAKE_INSTALL_LIBEXECDIR}/gpulab)
set(shared ${CMAKE_INSTALL_DATADIR}/gpulab)

foreach(helper IN ITEMS gpulab-worker gpulab-compiler gpulab-sandbox gpulab-trace)
    if(TARGET ${helper})
        install(TARGETS ${helper} RUNTIME DESTINATION ${helpers} LIBRARY DESTINATION ${helpers})
    endif()
endforeach()
if(TARGET gpulab-mpi) # a component of its own, because it needs Open MPI
    install(TARGETS gpulab-mpi RUNTIME DESTINATION ${helpers} COMPONENT mpi)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/kernels/programs/include/gpulab.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
if(NOT GPULAB_SERVER)
    return()
endif()

# What follows is of the lab.
install(TARGETS gpulab RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/static/gpulab.py DESTINATION ${shared})
install(FILES Caddyfile nginx.conf prometheus.yml prometheus-rules.yml github-actions.yml gitlab-ci.yml gpulab-programs.conf gpulab-nodes.conf
        DESTINATION ${shared})
install(DIRECTORY grafana DESTINATION ${shared})
install(FILES examples/README.md examples/gpulab.ipynb examples/reframe_gpulab.py examples/kubernetes.yaml DESTINATION ${shared}/examples)
install(PROGRAMS examples/nightly.sh examples/slurm-health.sh examples/slurm-epilog.sh DESTINATION ${shared}/examples)
install(FILES ../README.md ../CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(CODE "set(units \"${CMAKE_CURRENT_SOURCE_DIR}\")
set(made \"${CMAKE_CURRENT_BINARY_DIR}/units\")
set(BINDIR \"${CMAKE_INSTALL_BINDIR}\")
set(DATADIR \"${CMAKE_INSTALL_DATADIR}\")")
install(SCRIPT install_units.cmake)
install(FILES gpulab-nightly.timer gpulab-backup.timer DESTINATION lib/systemd/system)
install(FILES gpulab.sysusers DESTINATION lib/sysusers.d RENAME gpulab.conf)

# Manual pages and completions of shells, from what gpulab prints as help.
set(manual ${CMAKE_CURRENT_BINARY_DIR}/man)
file(GLOB manual_sources CONFIGURE_DEPENDS man.sh man.awk)
add_custom_command(OUTPUT ${manual}/gpulab.1.gz
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/man.sh ${manual} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:gpulab>
    DEPENDS gpulab ${manual_sources} VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/gpulab.1.gz)
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/gpulab.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gpulab)
install(FILES completions/_gpulab DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/gpulab.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
