/* The lines that gpulab.h writes, README.md. A line that is wrong is an error; the others are read. */
#include "formats/readers.h"

#include "formats/cells.h"

#include "core/json_members.h"

#include <string.h>

static const struct lab_schema line_members[] = {
    {LAB_GIVEN(STRING, "metric"), .minimum = 1, .maximum = LAB_RESULT_NAME_MAX},
    {.name = "value", .type = LAB_TYPE_NUMBER},
    {.name = "samples",
     .type = LAB_TYPE_NUMBER,
     .count = LAB_LIST,
     .items_min = 1,
     .items_max = LAB_RESULT_SAMPLES_MAX},
    {.name = "unit", .type = LAB_TYPE_STRING, .minimum = 0, .maximum = LAB_RESULT_NAME_MAX},
    {.name = "axes", .type = LAB_TYPE_OBJECT},
    {0},
};

static const char must_be[] = "A line must be a JSON object";

bool lab_gpulab_recognises(const struct lab_result_text *text)
{
    struct lab_errors errors = {0};
    struct lab_reader reader = {.errors = &errors};
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    if (!lab_result_line(&lines, &line))
        return false;
    json_t *first =
        lab_reader_parse(&reader, &(struct lab_place){"", 1}, must_be, line.at, (size_t)(line.end - line.at));
    bool recognised = json_object_get(first, "metric") != NULL;
    json_decref(first);
    return recognised;
}

static bool read_line(struct lab_reader *reader, const struct lab_place *at, const json_t *line)
{
    const json_t *value = json_object_get(line, "value"), *samples = json_object_get(line, "samples");
    const char *name;
    json_t *axis, *axes = json_object();
    struct lab_measured what = {*at, axes, lab_text_of(line, "metric"), lab_text_of(line, "unit")};
    bool good = axes != NULL;
    json_object_foreach(json_object_get(line, "axes"), name, axis)
    {
        good = good && lab_reader_axis_json(reader, at, axes, name, axis);
    }
    if (good && (value != NULL) == (samples != NULL))
        good = lab_reader_refuse(reader, at, LAB_ERROR_CONTRADICTION, "There must be either 'value' or 'samples'.");
    if (good)
        good = value != NULL ? lab_reader_sample(reader, &what, json_number_value(value))
                             : lab_reader_samples(reader, &what, samples, 0);
    json_decref(axes);
    return good;
}

/* Checks a line that is JSON; the errors say its number. */
static bool check_line(struct lab_reader *reader, const struct lab_place *at, const json_t *line)
{
    struct lab_errors errors;
    errors.count = errors.dropped = 0;
    if (!json_is_object(line))
        return lab_reader_refuse(reader, at, LAB_ERROR_WRONG_TYPE, "%s.", must_be);
    if (lab_schema_check_members(line_members, line, "", &errors))
        return true;
    for (size_t i = 0; i < errors.count; i++)
        lab_reader_refuse(reader, at, errors.items[i].code, "%s", errors.items[i].detail);
    return false;
}

void lab_gpulab_read_text(struct lab_reader *reader, const struct lab_result_text *text)
{
    struct lab_result_lines lines = {.rest = *text};
    struct lab_result_text line;
    while (lab_reader_goes_on(reader) && lab_result_line(&lines, &line)) {
        const struct lab_place at = {"", lines.number};
        json_t *object = lab_reader_parse(reader, &at, must_be, line.at, (size_t)(line.end - line.at));
        if (object != NULL && check_line(reader, &at, object))
            read_line(reader, &at, object);
        json_decref(object);
    }
}
