# Bundles the page: writes a copy of STATIC into OUTPUT, in which the style sheets of index.html are one, and its modules few,
# both minified. They are in OUTPUT/bundle, and their names contain a hash of their content. Run by the build:
# cmake -DESBUILD=… -DSTATIC=… -DOUTPUT=… -P bundle.cmake
file(READ ${STATIC}/index.html page)
file(REMOVE_RECURSE ${OUTPUT})

set(stylesheet "<link rel=\"stylesheet\" href=\"([^\"]+)\">")
set(script "<script type=\"module\" src=\"([^\"]+)\"></script>")
set(imports "")
string(REGEX MATCHALL "${stylesheet}" links "${page}")
foreach(link IN LISTS links)
    string(REGEX REPLACE "${stylesheet}" "\\1" path "${link}")
    string(APPEND imports "@import '${STATIC}${path}';\n")
endforeach()
string(REGEX MATCH "${script}" entry "${page}")
set(entry ${STATIC}${CMAKE_MATCH_1})
if(imports STREQUAL "" OR NOT EXISTS "${entry}")
    message(FATAL_ERROR "bundle.cmake: index.html must have a style sheet and a module as its script")
endif()
file(WRITE ${OUTPUT}/page.css "${imports}")

execute_process(
    COMMAND ${ESBUILD} ${entry} ${OUTPUT}/page.css --bundle --minify --format=esm --target=es2022 --charset=utf8
            --splitting --log-level=warning --outdir=${OUTPUT}/bundle --entry-names=[name]-[hash] --chunk-names=[name]-[hash]
    RESULT_VARIABLE failed ERROR_VARIABLE messages)
file(REMOVE ${OUTPUT}/page.css)
file(GLOB app RELATIVE ${OUTPUT} ${OUTPUT}/bundle/app-*.js)
file(GLOB sheet RELATIVE ${OUTPUT} ${OUTPUT}/bundle/page-*.css)
if(failed OR NOT app OR NOT sheet)
    message(FATAL_ERROR "bundle.cmake: esbuild failed\n${messages}")
endif()

# Loads the modules that the first one imports together with it.
set(preloads "")
file(READ ${OUTPUT}/${app} code)
string(REGEX MATCHALL "(from|import)\"\\./[^\"]+\"" static_imports "${code}")
foreach(import IN LISTS static_imports)
    string(REGEX REPLACE ".*\"\\./([^\"]+)\"" "\\1" name "${import}")
    string(APPEND preloads "  <link rel=\"modulepreload\" href=\"/bundle/${name}\">\n")
endforeach()

string(REGEX REPLACE "[ \n]*${stylesheet}" "" page "${page}")
string(REGEX REPLACE " *${script}"
    "  <link rel=\"stylesheet\" href=\"/${sheet}\">\n${preloads}  <script type=\"module\" src=\"/${app}\"></script>" page "${page}")
file(WRITE ${OUTPUT}/index.html "${page}")

# Every other file is served as it is.
file(GLOB_RECURSE others RELATIVE ${STATIC} ${STATIC}/*)
list(FILTER others EXCLUDE REGEX "\\.(html|js|css)$|README\\.md$")
foreach(name IN LISTS others)
    configure_file(${STATIC}/${name} ${OUTPUT}/${name} COPYONLY)
endforeach()
