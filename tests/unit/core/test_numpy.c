/* kernels/core/numpy.c: files of NumPy as they are written, and what is read of them. */
#include "core/numpy.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *written(const char *type, size_t rows, size_t columns, const void *elements, size_t *size)
{
    struct lab_error error;
    unsigned char *file =
        lab_numpy_write(type, rows, columns, elements, rows * columns * lab_numpy_bytes(type), size, &error);
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
    assert_non_null(file = lab_numpy_write(NULL, 1, 6, elements, sizeof elements, &size, &(struct lab_error){0}));
    assert_non_null(strstr((const char *)file + 10, "'<f4'"));
    free(file);
}

TEST(elements_that_are_not_those_of_the_shape_are_refused)
{
    static const struct {
        const char *type;
        size_t rows, columns, bytes;
    } examples[] = {{"fp8", 1, 1, 1},   {"fp32", 2, 3, 23},        {"fp32", 2, 3, 25},           {"fp32", 0, 3, 0},
                    {"fp32", 3, 0, 12}, {"fp32", SIZE_MAX, 4, 16}, {"fp32", 4, SIZE_MAX / 2, 16}};
    const float elements[8] = {0};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lab_error error = {0};
        size_t size;
        assert_null(lab_numpy_write(examples[i].type, examples[i].rows, examples[i].columns, elements,
                                    examples[i].bytes, &size, &error));
        assert_int_equal(error.code, LAB_ERROR_USAGE);
    }
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
