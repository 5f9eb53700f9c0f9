# Writes build_info.c, which defines lab_build (core/build.h). An unchanged file is not rewritten, so nothing is rebuilt.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
    set(commit "unknown")
endif()
string(REPLACE ";" " " ARCHITECTURES "${ARCHITECTURES}")
string(STRIP "${FLAGS}" FLAGS)
string(STRIP "${CUDA_FLAGS}" CUDA_FLAGS)
set(text "#include \"core/build.h\"

const struct lab_build lab_build = {
    .version = \"${VERSION}\",
    .commit = \"${commit}\",
    .type = \"${TYPE}\",
    .compiler = \"${COMPILER}\",
    .flags = \"${FLAGS}\",
    .cuda = \"${CUDA}\",
    .cuda_flags = \"${CUDA_FLAGS}\",
    .architectures = \"${ARCHITECTURES}\",
};
")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
