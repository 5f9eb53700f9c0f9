/* kernels/core/numpy.c: files of NumPy as they are written, and what is read of them. */
#include "core/numpy.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *written(const char *type, size_t rows, size_t columns, const void *elements, size_t *size)
{
    unsigned char *file = lab_numpy_write(type, rows, columns, elements, size);
    assert_non_null(file);
    return file;
}

TEST(a_file_has_the_header_of_numpy_and_aligned_elements)
{
    const float elements[] = {1, 2, 3, 4, 5, 6};
    size_t size;
    unsigned char *file = written("fp32", 2, 3, elements, &size);
    assert_int_equal(size, 128 + sizeof elements);
    assert_memory_equal(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    static const char dictionary[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ";
    assert_memory_equal(file + 10, dictionary, strlen(dictionary));
    assert_int_equal(file[127], '\n');
    assert_memory_equal(file + 128, elements, sizeof elements);
    free(file);
    file = written("u8", 1, 3, "abc", &size);
    assert_non_null(strstr((const char *)file + 10, "'|u1', 'fortran_order': False, 'shape': (3,), }"));
    free(file);
    assert_null(lab_numpy_write("fp8", 1, 1, elements, &size));
}

TEST(what_is_written_is_read_with_its_type_only)
{
    static const char *const types[] = {"fp16", "bf16", "fp32", "fp64", "i8",  "i16",
                                        "i32",  "i64",  "u8",   "u16",  "u32", "u64"};
    const unsigned char element[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct lab_error error;
        size_t size, begin = 0;
        unsigned char *file = written(types[i], 1, 1, element, &size);
        assert_true(lab_numpy_is(file, size));
        assert_true(lab_numpy_read(file, size, types[i], &begin, &error));
        assert_int_equal(size - begin, lab_numpy_bytes(types[i]));
        assert_memory_equal(file + begin, element, size - begin);
        assert_false(lab_numpy_read(file, size, types[(i + 1) % 12], &begin, &error));
        assert_false(lab_numpy_read(file, begin - 1, types[i], &begin, &error));
        assert_string_equal(error.detail, "is no whole NumPy file");
        free(file);
    }
    assert_false(lab_numpy_is(element, sizeof element));
}
