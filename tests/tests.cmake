# The tests as tests of ctest, for one build (CMakeLists.txt) and for run.sh, which tests several (parts/CMakeLists.txt). Each of the
# functions adds tests of the build in the folder BUILD, with PREFIX before their names; test_environment has their variables, and
# test_requires their fixtures.
set(tests ${CMAKE_CURRENT_LIST_DIR})

# The tests of 12 s and more beside others start first, so that none of them runs alone at the end; those whose devices wait busily
# for each other have others between them. None asks for PROCESSORS of 2: a place that becomes free is taken by a test that needs
# one, so ctest would start it when no other is left.
set(longest
    test_store_upgrade style/layout api/group test_experiments faults/nested api/cli api/compile_sources test_collectives
    api/nightly api/compiler api/python test_peer api/cli_exit api/openapi browser/kernel test_matmul_shapes
    api/compare_with api/cli_health faults/hostile_programs runtime_check_host api/programs api/cli_history
    browser/accessibility test_peer_transpose_run api/tokens api/own_kernel_worker browser/learn test_matmul
    browser/several test_node_copy browser/states test_store_disk browser/program test_worker faults/program_devices
    browser/run browser/matmul api/compile_headers browser/page faults/disk browser/measures browser/roles api/nodes
    api/exchange api/notices api/cli_sweep test_jobs api/waiting api/events test_laplace test_http_clients browser/signin
    browser/measured faults/killed browser/samples api/sass api/import faults/protocol browser/machines browser/loading
    api/compile faults/injected browser/formdevices api/install api/cli_compare test_store_kill browser/sweep
    browser/lessons)

# Sets the properties that all tests have; the rest of the arguments are labels.
function(lab_set_up_test prefix name)
    set_tests_properties(${prefix}${name} PROPERTIES TIMEOUT 1800 LABELS "${ARGN}" ENVIRONMENT "${test_environment}"
        FIXTURES_REQUIRED "${test_requires}")
    list(FIND longest ${name} index)
    if(NOT index EQUAL -1)
        math(EXPR cost "100 - ${index}")
        set_tests_properties(${prefix}${name} PROPERTIES COST ${cost})
    endif()
endfunction()

# unit/FOLDER/test_FILE.c as test_FILE, where FOLDER matches the pattern.
function(lab_add_unit_tests prefix build pattern)
    file(GLOB sources CONFIGURE_DEPENDS ${tests}/unit/*/test_*.c)
    foreach(source IN LISTS sources)
        string(REGEX MATCH "([^/]+)/test_([^/]+)\\.c$" matched ${source})
        set(folder ${CMAKE_MATCH_1})
        set(file ${CMAKE_MATCH_2})
        if(folder MATCHES "^(${pattern})$")
            add_test(NAME ${prefix}test_${file} COMMAND ${build}/unit/${folder} ${file} WORKING_DIRECTORY ${build})
            lab_set_up_test("${prefix}" test_${file} unit ${folder})
        endif()
    endforeach()
endfunction()

function(lab_add_runtime_check prefix build)
    add_test(NAME ${prefix}runtime_check_host COMMAND ${build}/gpulab-runtime-check host)
    lab_set_up_test("${prefix}" runtime_check_host unit)
endfunction()

function(lab_add_fuzz_tests prefix build)
    foreach(target IN ITEMS expression formats import kernel request trace worker)
        set(corpora ${tests}/fuzz/corpus/${target})
        if(target STREQUAL import) # an import takes the files of other tools too
            list(APPEND corpora ${tests}/fuzz/corpus/formats)
        endif()
        add_test(NAME ${prefix}fuzz_${target} COMMAND ${build}/fuzz/fuzz_${target} ${corpora})
        lab_set_up_test("${prefix}" fuzz_${target} fuzz)
    endforeach()
endfunction()

# The files of Node that match the rest of the arguments, by their places, such as api/runs. `launcher` is a command that runs Node,
# or "". Without --test, Node runs the tests of a file in the one process. Older releases of Node must be told that the page's .js
# files are modules.
find_program(NODE node)
if(NODE)
    execute_process(COMMAND ${NODE} --help OUTPUT_VARIABLE help)
    string(REGEX MATCH "--experimental-default-type" modules "${help}")
endif()
function(lab_add_node_tests prefix build launcher)
    file(GLOB files RELATIVE ${tests} CONFIGURE_DEPENDS ${ARGN})
    list(APPEND test_environment GPULAB_BUILD=${build})
    foreach(file IN LISTS files)
        string(REGEX REPLACE "\\.test\\.mjs$" "" place ${file})
        get_filename_component(folder ${place} DIRECTORY)
        add_test(NAME ${prefix}${place} COMMAND ${launcher} ${NODE} $<$<BOOL:${modules}>:${modules}=module>
            --test-reporter=spec --test-reporter-destination=stdout ${tests}/${file} WORKING_DIRECTORY ${tests}/..)
        lab_set_up_test("${prefix}" ${place} ${folder})
    endforeach()
endfunction()
