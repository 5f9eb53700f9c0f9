/* kernels/descriptor/sample_programs.c: the tables that gpulab-pages-programs has made of kernels/programs. */
#include "descriptor/sample_programs.h"
#include "support/test.h"

#include <string.h>

static const char *header(const char *path)
{
    for (const struct lab_shown_file *file = lab_program_headers; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return file->text;
    return NULL;
}

TEST(a_program_is_found_by_its_name)
{
    size_t count = 0;
    for (const struct lab_sample_program *program = lab_sample_programs; program->name != NULL; program++, count++)
        assert_ptr_equal(lab_sample_program_find(program->name), program);
    assert_true(count >= 15);
    assert_null(lab_sample_program_find("overlap.cu"));
    assert_null(lab_sample_program_find(""));
}

TEST(a_program_has_what_its_first_comment_says)
{
    const struct lab_sample_program *program = lab_sample_program_find("batching-and-2d");
    assert_non_null(program);
    assert_string_equal(program->title, "Batched and two-dimensional copies");
    assert_ptr_equal(strstr(program->text, "Copies the first columns of a matrix"), program->text);
    assert_null(strstr(program->text, "Lessons"));
    assert_string_equal(program->lessons[0], "transfer");
    assert_string_equal(program->lessons[1], "pitch");
    assert_null(program->lessons[2]);
    assert_string_equal(program->file, "batching-and-2d.cu");
    assert_ptr_equal(strstr(program->source, "/* Batched and two-dimensional copies\n *\n"), program->source);
    assert_non_null(strstr(program->source, "\nint main()\n{\n"));
}

TEST(the_headers_of_programs_have_the_names_by_which_they_are_included)
{
    assert_non_null(strstr(header("gpulab.h"), "gpulab_result("));
    assert_non_null(strstr(header("helper_cuda.h"), "#define checkCudaErrors("));
}
