# Turns source files into C texts, for experiments that show them: cuda/gemm/naive.cu becomes lab_text_cuda_gemm_naive_cu. Run
# with -P in kernels/; FILES is a list, OUTPUT the file.
set(texts "")
foreach(file IN LISTS FILES)
    string(MAKE_C_IDENTIFIER "${file}" name)
    # As bytes: no quoting to get wrong, and no limit on the length of a string literal.
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(REGEX REPLACE "((.......){16})" "\\1\n" bytes "${bytes}")
    string(APPEND texts "extern const char lab_text_${name}[];\nconst char lab_text_${name}[] = {\n${bytes}0};\n\n")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by experiments/show_sources.cmake. */\n${texts}")
