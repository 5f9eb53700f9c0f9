# Makes the target lab_sqlite: the SQLite of the system, or, where GPULAB_SQLITE_AMALGAMATION names a folder with sqlite3.c and
# sqlite3.h (https://sqlite.org/download.html, "amalgamation"), that, which is compiled into gpulab.
#
# Needed is 3.37, the first with STRICT tables and sqlite3_total_changes64, which all of db/ is built on.
set(sqlite_minimum 3.37)
set(GPULAB_SQLITE_AMALGAMATION "" CACHE PATH "Folder with sqlite3.c and sqlite3.h, in place of the system's SQLite")

set(sqlite_version "")
if(GPULAB_SQLITE_AMALGAMATION)
    set(sqlite_place ${GPULAB_SQLITE_AMALGAMATION})
    if(EXISTS ${sqlite_place}/sqlite3.c AND EXISTS ${sqlite_place}/sqlite3.h)
        file(STRINGS ${sqlite_place}/sqlite3.h sqlite_version REGEX "#define SQLITE_VERSION +\"")
        string(REGEX MATCH "[0-9.]+" sqlite_version "${sqlite_version}")
    endif()
else()
    set(sqlite_place pkg-config)
    pkg_check_modules(sqlite3 QUIET IMPORTED_TARGET sqlite3)
    set(sqlite_version "${sqlite3_VERSION}")
endif()

if(NOT sqlite_version)
    set(sqlite_found "finds none")
elseif(sqlite_version VERSION_LESS sqlite_minimum)
    set(sqlite_found "has ${sqlite_version}")
else()
    set(sqlite_found "")
endif()
if(sqlite_found)
    message(FATAL_ERROR "gpulab needs SQLite ${sqlite_minimum} or later; ${sqlite_place} ${sqlite_found}. Unpack the amalgamation of "
        "https://sqlite.org/download.html and configure with -DGPULAB_SQLITE_AMALGAMATION=FOLDER, where its sqlite3.c and sqlite3.h are.")
endif()

if(GPULAB_SQLITE_AMALGAMATION)
    message(STATUS "SQLite ${sqlite_version} of ${sqlite_place}")
    add_library(lab_sqlite STATIC ${GPULAB_SQLITE_AMALGAMATION}/sqlite3.c)
    target_include_directories(lab_sqlite SYSTEM PUBLIC ${GPULAB_SQLITE_AMALGAMATION})
    # FTS5 is the index of the search. The others are what sqlite.org recommends and distributions build.
    target_compile_definitions(lab_sqlite PRIVATE SQLITE_ENABLE_FTS5 SQLITE_THREADSAFE=1 SQLITE_OMIT_LOAD_EXTENSION SQLITE_DQS=0)
    target_compile_options(lab_sqlite PRIVATE -w)
    target_link_libraries(lab_sqlite PRIVATE Threads::Threads m)
else()
    add_library(lab_sqlite INTERFACE)
    target_link_libraries(lab_sqlite INTERFACE PkgConfig::sqlite3)
endif()
