# Bundles the page: writes a copy of STATIC into OUTPUT, in which the style sheets of index.html are two, those marked data-later
# apart, and its modules few, all minified. They are in OUTPUT/bundle, and their names contain a hash of their content. Run by the
# build: cmake -DESBUILD=… -DSTATIC=… -DOUTPUT=… -P bundle.cmake
file(READ ${STATIC}/index.html page)
file(REMOVE_RECURSE ${OUTPUT})

set(stylesheet "<link rel=\"stylesheet\" href=\"([^\"]+)\"( data-later)?>")
set(script "<script type=\"module\" src=\"([^\"]+)\"></script>")
string(REGEX MATCHALL "${stylesheet}" links "${page}")
foreach(link IN LISTS links)
    string(REGEX MATCH "${stylesheet}" link "${link}")
    if(CMAKE_MATCH_2)
        file(APPEND ${OUTPUT}/later.css "@import '${STATIC}${CMAKE_MATCH_1}';\n")
    else()
        file(APPEND ${OUTPUT}/page.css "@import '${STATIC}${CMAKE_MATCH_1}';\n")
    endif()
endforeach()
string(REGEX MATCH "${script}" entry "${page}")
set(entry ${STATIC}${CMAKE_MATCH_1})
if(NOT EXISTS ${OUTPUT}/page.css OR NOT EXISTS ${OUTPUT}/later.css OR NOT EXISTS "${entry}")
    message(FATAL_ERROR "bundle.cmake: index.html must have style sheets of both kinds and a module as its script")
endif()

execute_process(
    COMMAND ${ESBUILD} ${entry} ${OUTPUT}/page.css ${OUTPUT}/later.css --bundle --minify --format=esm --target=es2022 --charset=utf8
            --splitting --log-level=warning --outdir=${OUTPUT}/bundle --entry-names=[name]-[hash] --chunk-names=[name]-[hash]
    RESULT_VARIABLE failed ERROR_VARIABLE messages)
file(REMOVE ${OUTPUT}/page.css ${OUTPUT}/later.css)
file(GLOB app RELATIVE ${OUTPUT} ${OUTPUT}/bundle/app-*.js)
file(GLOB sheet RELATIVE ${OUTPUT} ${OUTPUT}/bundle/page-*.css)
file(GLOB later_sheet RELATIVE ${OUTPUT} ${OUTPUT}/bundle/later-*.css)
if(failed OR NOT app OR NOT sheet OR NOT later_sheet)
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

string(REGEX REPLACE "[ \n]*(<!--[^\n]*-->[ \n]*)?${stylesheet}" "" page "${page}")
string(REGEX REPLACE " *${script}"
    "  <link rel=\"stylesheet\" href=\"/${sheet}\">\n  <meta name=\"later-styles\" content=\"/${later_sheet}\">\n${preloads}  <script type=\"module\" src=\"/${app}\"></script>" page "${page}")
file(WRITE ${OUTPUT}/index.html "${page}")

# Every other file is served as it is.
file(GLOB_RECURSE others RELATIVE ${STATIC} ${STATIC}/*)
list(FILTER others EXCLUDE REGEX "\\.(html|js|css)$|README\\.md$")
foreach(name IN LISTS others)
    configure_file(${STATIC}/${name} ${OUTPUT}/${name} COPYONLY)
endforeach()
