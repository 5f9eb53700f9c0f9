/* hyperfine. Each run of a command is a sample. */
#include "formats/readers.h"

#include "formats/reader.h"

#include "core/json_members.h"

#include <stdio.h>

static const struct lab_schema result_members[] = {
    {LAB_GIVEN(STRING, "command")},
    {.name = "times", .type = LAB_TYPE_NUMBER, .count = LAB_LIST},
    {.name = "memory_usage_byte", .type = LAB_TYPE_NUMBER, .count = LAB_LIST},
    {LAB_GIVEN(NUMBER, "mean")},
    {.name = "stddev", .type = LAB_TYPE_NUMBER, .nullable = true},
    {.name = "median", .type = LAB_TYPE_NUMBER},
    {.name = "min", .type = LAB_TYPE_NUMBER},
    {.name = "max", .type = LAB_TYPE_NUMBER},
    {.name = "user", .type = LAB_TYPE_NUMBER},
    {.name = "system", .type = LAB_TYPE_NUMBER},
    {.name = "exit_codes", .type = LAB_TYPE_ANY, .count = LAB_LIST},
    {.name = "parameters", .type = LAB_TYPE_OBJECT},
    {0},
};

const struct lab_schema lab_hyperfine_members[] = {
    {LAB_GIVEN(OBJECT, "results"), .count = LAB_LIST, .members = result_members, .open = true},
    {0},
};

/* Notes how many runs have failed: their exit code is not 0, or null, because a signal ended them. */
static void note_failures(struct lab_reader *reader, const json_t *result)
{
    size_t i, failed = 0;
    const json_t *codes = json_object_get(result, "exit_codes");
    json_t *code;
    json_array_foreach(codes, i, code)
    {
        failed += !json_is_integer(code) || json_integer_value(code) != 0;
    }
    if (failed > 0)
        lab_reader_note(reader, "%.200s: %zu of %zu runs ended with an exit code other than 0.",
                        lab_text_of(result, "command"), failed, json_array_size(codes));
}

static json_t *read_axes(struct lab_reader *reader, const struct lab_place *at, const json_t *result)
{
    json_t *axes = json_object(), *value;
    const char *name;
    bool good = axes != NULL && lab_reader_axis_text(reader, at, axes, "command", lab_text_of(result, "command"));
    json_object_foreach(json_object_get(result, "parameters"), name, value)
    {
        if (json_is_string(value))
            good = good && lab_reader_axis_parsed(reader, at, axes, name, json_string_value(value));
        else
            good = good && lab_reader_axis_json(reader, at, axes, name, value);
    }
    if (good)
        return axes;
    json_decref(axes);
    return NULL;
}

static void read_times(struct lab_reader *reader, const struct lab_measured *time, const json_t *result)
{
    const json_t *times = json_object_get(result, "times");
    struct lab_result_figures figures = lab_no_figures;
    figures.n = json_array_size(json_object_get(result, "exit_codes"));
    figures.n = figures.n > 0 ? figures.n : 1;
    figures.mean = lab_number_of(result, "mean");
    figures.median = lab_number_of(result, "median");
    figures.stdev = lab_number_of(result, "stddev");
    figures.min = lab_number_of(result, "min");
    figures.max = lab_number_of(result, "max");
    if (json_array_size(times) > 0)
        lab_reader_samples(reader, time, times, 0);
    else
        lab_reader_figures(reader, time, &figures);
}

void lab_hyperfine_read_document(struct lab_reader *reader, const json_t *document)
{
    static const char *const means[][2] = {{"user", "user_time"}, {"system", "system_time"}};
    const json_t *results = json_object_get(document, "results");
    char pointer[LAB_POINTER_MAX];
    size_t i;
    json_t *result;
    json_array_foreach(results, i, result)
    {
        const struct lab_place at = {pointer, 0};
        snprintf(pointer, sizeof pointer, "/results/%zu", i);
        json_t *axes = read_axes(reader, &at, result);
        if (axes == NULL)
            continue;
        note_failures(reader, result);
        read_times(reader, &(struct lab_measured){at, axes, "time", "s"}, result);
        lab_reader_samples(reader, &(struct lab_measured){at, axes, "peak_memory", "B"},
                           json_object_get(result, "memory_usage_byte"), 0);
        for (size_t mean = 0; mean < sizeof means / sizeof *means; mean++)
            if (json_object_get(result, means[mean][0]) != NULL)
                lab_reader_sample(reader, &(struct lab_measured){at, axes, means[mean][1], "s"},
                                  lab_number_of(result, means[mean][0]));
        json_decref(axes);
    }
}
