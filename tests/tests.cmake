# The tests as tests of ctest, for one build (CMakeLists.txt) and for run.sh, which tests several (parts/CMakeLists.txt). Each of the
# functions adds tests of the build in the folder BUILD, with PREFIX before their names; test_environment has their variables, and
# test_requires their fixtures.
set(tests ${CMAKE_CURRENT_LIST_DIR})

# The tests that take longest start first, so that none of them runs alone at the end. None asks for PROCESSORS of 2: a place that
# becomes free is taken by a test that needs one, so ctest would start it when no other is left.
set(longest
    test_store_upgrade style/layout test_experiments browser/measures style/programs api/compiler browser/kernel
    test_peer api/compile_sources browser/accessibility api/group browser/learn api/nightly browser/states
    browser/program test_matmul_shapes browser/matmul api/python browser/page browser/run browser/measured
    test_collectives browser/history api/cli browser/several browser/lessons api/cli_exit browser/loading
    api/cli_health browser/samples api/openapi browser/sweep runtime_check_host browser/questions api/cli_history
    browser/timeline browser/fleet api/compile_headers browser/formdevices api/compare_with browser/tokens test_matmul
    faults/program_devices browser/cells faults/hostile_programs browser/sources faults/nested browser/signin
    api/programs browser/series browser/health test_worker browser/guide browser/stepcode api/tokens browser/foreign
    api/own_kernel_worker browser/trends test_store_disk browser/field browser/compare browser/machines faults/disk
    test_http_clients browser/views test_benchmark test_scaling test_jobs test_http_stream test_sandbox_ends)

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
