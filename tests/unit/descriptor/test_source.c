/* kernels/descriptor/source.c: texts made of files and regions; sources that cannot be made are NULL. */
#include "descriptor/source.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define STREAM "kernels/experiments/memory/stream/stream.cu"

TEST(a_region_is_shown_without_its_marks)
{
    const struct lab_source source = {.parts = {{STREAM, "write"}, {STREAM, "copy"}}};
    char *text = lab_source_text(&source);
    assert_non_null(text);
    assert_memory_equal(text, "// " STREAM "\nextern \"C\" __global__ void stream_write", 40);
    assert_non_null(strstr(text, "}\n\n// " STREAM "\nextern \"C\" __global__ void stream_copy"));
    assert_null(strstr(text, "// region"));
    assert_null(strstr(text, "// end"));
    assert_null(strstr(text, "stream_scale"));
    free(text);
}

TEST(unknown_files_and_regions_have_no_text)
{
    const struct lab_source no_file = {.parts = {{STREAM, "copy"}, {"kernels/absent.cu", NULL}}};
    const struct lab_source no_region = {.parts = {{STREAM, "absent"}}};
    assert_null(lab_source_text(&no_file));
    assert_null(lab_source_text(&no_region));
}

TEST(every_source_of_every_experiment_has_a_text)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_source *s = lab_experiments[i]->sources; s != NULL && s->step != NULL; s++) {
            char *text = lab_source_text(s);
            if (text == NULL)
                fail_msg("%s: %s, %s", lab_experiments[i]->name, s->step, s->backend);
            free(text);
        }
}

/* The points of an edited source are found by its step. */
TEST(every_source_that_can_be_edited_is_a_value_of_an_axis)
{
    size_t editable = 0;
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_source *s = lab_experiments[i]->sources; s != NULL && s->step != NULL; s++) {
            int64_t value;
            if (lab_source_find_editable(lab_experiments[i], s->step) == NULL)
                continue;
            editable++;
            if (lab_source_axis(lab_experiments[i], s->step, &value) == NULL)
                fail_msg("%s: %s", lab_experiments[i]->name, s->step);
        }
    assert_true(editable > 0);
}

TEST(sources_of_libraries_and_of_the_runtime_cannot_be_edited)
{
    const struct lab_experiment *matmul = lab_experiment_find("matmul");
    int64_t value;
    assert_string_equal(lab_source_find_editable(matmul, "naive")->backend, "cuda");
    assert_null(lab_source_find_editable(matmul, "cublas"));
    assert_null(lab_source_find_editable(matmul, "wgmma"));
    assert_null(lab_source_find_editable(matmul, "blocked"));
    assert_non_null(lab_source_find_editable(lab_experiment_find("reduction"), "sequential")); /* a part of its file */
    assert_null(lab_source_find_editable(lab_experiment_find("launch"), "queued"));            /* code of the host */
    assert_null(
        lab_source_find_editable(lab_experiment_find("laplace"), "rows")); /* its run() knows no edited sources */
    assert_null(lab_source_find_editable(lab_experiment_find("peer-transpose"), "direct"));
    assert_string_equal(lab_source_axis(matmul, "coalesced", &value)->name, "step");
    assert_null(lab_source_axis(matmul, "absent", &value));
}
