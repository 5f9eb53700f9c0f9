/* Fuzzes the readers of result files: an input is a file, read as each format. What is read must be what formats.h
 * says.
 */
#include "check.h"
#include "formats/formats.h"

#include "core/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_shown(const char *text, const char *what)
{
    check_text(text, what);
    must(text[lab_utf8_control(text)] == '\0', what);
}

static void check_list(const json_t *list, const char *what)
{
    json_t *item;
    size_t i;
    must(json_is_array(list), what);
    json_array_foreach(list, i, item)
    {
        check_shown(json_string_value(item), what);
    }
}

static void check_axes(const json_t *axes)
{
    const char *name;
    json_t *value;
    must(json_is_object(axes) && json_object_size(axes) <= LAB_RESULT_AXES_MAX, "a measurement has a few axes");
    json_object_foreach((json_t *)(uintptr_t)axes, name, value)
    {
        check_shown(name, "the name of an axis can be shown");
        must(json_is_boolean(value) || json_is_string(value) ||
                 (json_is_number(value) && isfinite(json_number_value(value))),
             "the value of an axis is a text, a finite number or a boolean");
        if (json_is_string(value))
            check_shown(json_string_value(value), "the text on an axis can be shown");
    }
}

static void check_measurement(const struct lab_result_measurement *measurement)
{
    const struct lab_result_figures *figures = &measurement->figures;
    check_shown(measurement->metric, "the name of a metric can be shown");
    check_shown(measurement->unit, "a unit can be shown");
    check_axes(measurement->axes);
    must((measurement->sample_count > 0) != (figures->n > 0), "a measurement has samples or figures");
    must(measurement->wrong >= -1, "the number of wrong elements is a number, or not known");
    for (size_t i = 0; i < measurement->sample_count; i++)
        must(isfinite(measurement->samples[i]), "samples are finite");
    if (figures->n > 0)
        must(isfinite(lab_result_figures_value(figures)) && !(figures->min > figures->max) && !(figures->stdev < 0),
             "figures have a value and are in order");
}

static void check_file(const struct lab_result_file *file)
{
    json_t *keys = json_object();
    for (size_t i = 0; i < file->count; i++) {
        check_measurement(&file->measurements[i]);
        json_t *point = json_pack("[O, s]", file->measurements[i].axes, file->measurements[i].metric);
        char *key = json_dumps(point, JSON_SORT_KEYS);
        must(key != NULL && json_object_get(keys, key) == NULL, "no measurement is there twice");
        json_object_set_new(keys, key, json_true());
        free(key);
        json_decref(point);
    }
    json_decref(keys);
    for (size_t i = 0; i < file->note_count; i++)
        check_shown(file->notes[i], "a note can be shown");
    check_list(file->hosts, "the name of a host can be shown");
    check_list(file->devices, "the name of a device can be shown");
    must(json_is_object(file->versions), "there are versions");
    must(file->note_count <= LAB_RESULT_NOTES_MAX && file->count <= LAB_RESULT_MEASUREMENTS_MAX, "results are bounded");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const struct lab_result_format *guess = lab_result_format_guess(text, size);
    must(guess == NULL || lab_result_format_find(guess->name) == guess, "a format that is guessed is in the table");
    for (const struct lab_result_format *format = lab_result_formats; format->name != NULL; format++) {
        struct lab_result_file file = {0};
        struct lab_errors errors = {0};
        bool good = lab_result_format_read(format, text, size, &file, &errors);
        check_errors(good, &errors);
        must(!good || file.count > 0 || file.note_count > 0, "a file that is accepted has results");
        check_file(&file);
        lab_result_file_release(&file);
    }
    return 0;
}
