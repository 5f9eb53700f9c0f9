# Writes OUTPUT/assets.c: every file below STATIC as it is and, where that is smaller, compressed, with its type and a
# strong entity tag made from its content. Run by the build (cmake -DSTATIC=… -DOUTPUT=… -P assets.cmake).
set(types
    html "text/html\; charset=utf-8"
    css "text/css\; charset=utf-8"
    js "text/javascript\; charset=utf-8"
    mjs "text/javascript\; charset=utf-8"
    json "application/json"
    map "application/json"
    webmanifest "application/manifest+json"
    svg "image/svg+xml"
    png "image/png"
    ico "image/vnd.microsoft.icon"
    woff2 "font/woff2"
    txt "text/plain\; charset=utf-8"
    md "text/plain\; charset=utf-8")

function(type_of name result)
    get_filename_component(extension ${name} LAST_EXT)
    string(REGEX REPLACE "^\\." "" extension "${extension}")
    list(FIND types "${extension}" at)
    if(extension STREQUAL "")
        set(${result} "text/plain; charset=utf-8" PARENT_SCOPE) # LICENSE
    elseif(at EQUAL -1)
        message(FATAL_ERROR "assets.cmake: no content type is known for ${name}")
    else()
        math(EXPR at "${at} + 1")
        list(GET types ${at} type)
        set(${result} "${type}" PARENT_SCOPE)
    endif()
endfunction()

file(GLOB_RECURSE names RELATIVE ${STATIC} ${STATIC}/*)
list(SORT names)
file(REMOVE_RECURSE ${OUTPUT}/gzip)
file(MAKE_DIRECTORY ${OUTPUT}/gzip)
set(bytes "")
set(symbols "")
set(table "")
set(number 0)
foreach(name IN LISTS names)
    type_of(${name} type)
    file(SHA256 ${STATIC}/${name} hash)
    string(SUBSTRING ${hash} 0 24 tag)
    file(SIZE ${STATIC}/${name} size)
    set(symbol asset_${number})
    math(EXPR number "${number} + 1")
    string(APPEND bytes "        \"${symbol}: .incbin \\\"${STATIC}/${name}\\\"\\n\"\n")
    string(APPEND symbols "extern const unsigned char ${symbol}[];\n")

    set(compressed ${OUTPUT}/gzip/${symbol}.gz)
    file(ARCHIVE_CREATE OUTPUT ${compressed} PATHS ${STATIC}/${name} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
    file(SIZE ${compressed} compressed_size)
    set(twin "NULL, ${size}, 0")
    if(compressed_size LESS size)
        string(APPEND bytes "        \"${symbol}_gzip: .incbin \\\"${compressed}\\\"\\n\"\n")
        string(APPEND symbols "extern const unsigned char ${symbol}_gzip[];\n")
        set(twin "${symbol}_gzip, ${size}, ${compressed_size}")
    endif()
    string(APPEND table "    {\"/${name}\", \"${type}\", \"${tag}\", ${symbol}, ${twin}},\n")
endforeach()

file(WRITE ${OUTPUT}/assets.c
"/* The files of the page. Made by server/http/assets.cmake. */
#include \"http/http.h\"

__asm__(\".section .rodata\\n\"
${bytes}        \".previous\\n\");

#pragma GCC visibility push(hidden)
${symbols}#pragma GCC visibility pop

const struct lab_asset lab_assets[] = {
${table}    {0},
};
")
