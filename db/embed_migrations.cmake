# Turns migrations/NNN_name.sql into the C table that migrate.c applies. Run with -P; FILES is a list, OUTPUT the file.
set(table "")
set(texts "")
set(expected 1)
list(SORT FILES)
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    if(NOT name MATCHES "^([0-9][0-9][0-9])_[a-z0-9_]+$")
        message(FATAL_ERROR "${file}: a migration must be named NNN_name.sql")
    endif()
    math(EXPR number "1${CMAKE_MATCH_1} - 1000")
    if(NOT number EQUAL expected)
        message(FATAL_ERROR "${file}: expected migration ${expected}; numbers must be consecutive and unique")
    endif()
    math(EXPR expected "${expected} + 1")

    # As bytes, because string literals need quoting and have a length limit.
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(REGEX REPLACE "(('[^']+',)('[^']+',)('[^']+',)('[^']+',)('[^']+',)('[^']+',)('[^']+',)('[^']+',))" "\\1\n" bytes "${bytes}")
    string(APPEND texts "static const char text_${name}[] = {\n${bytes}0};\n\n")
    string(APPEND table "    {\"${name}\", text_${name}},\n")
endforeach()
file(WRITE "${OUTPUT}" "/* Generated from db/migrations by db/embed_migrations.cmake. */
#include \"store_internal.h\"

${texts}const struct lab_migration lab_migrations[] = {
${table}};
const size_t lab_migration_count = sizeof lab_migrations / sizeof *lab_migrations;
")
