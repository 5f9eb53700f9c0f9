/* Reads files of results for tests. */
#include "result_file.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lab_result_format *format_of(const char *name)
{
    const struct lab_result_format *format = lab_result_format_find(name);
    if (format == NULL)
        fail_msg("there is no format %s", name);
    return format;
}

static struct lab_result_file read_file(const char *format, const char *text, size_t size)
{
    struct lab_result_file file = {0};
    struct lab_errors errors = {0};
    if (!lab_result_format_read(format_of(format), text, size, &file, &errors))
        fail_msg("%s: %s", errors.items[0].pointer, errors.items[0].detail);
    assert_int_equal(errors.count, 0);
    return file;
}

/* The text of a file of the corpus; to be freed. */
static char *corpus_text(const char *name)
{
    char path[512], *text = NULL;
    size_t capacity = 0;
    snprintf(path, sizeof path, "%s%s", RESULT_CORPUS, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    assert_true(getdelim(&text, &capacity, '\0', file) > 0);
    fclose(file);
    return text;
}

struct lab_result_file result_file_of(const char *format, const char *text)
{
    return read_file(format, text, strlen(text));
}

struct lab_result_file result_file_of_corpus(const char *format, const char *name)
{
    char *text = corpus_text(name);
    const struct lab_result_format *guess = lab_result_format_guess(text, strlen(text));
    assert_string_equal(guess != NULL ? guess->name : "none", format);
    struct lab_result_file file = read_file(format, text, strlen(text));
    free(text);
    return file;
}

const struct lab_result_measurement *result_find(const struct lab_result_file *file, const char *metric,
                                                 const char *axes)
{
    json_t *wanted = json_loads(axes, 0, NULL);
    char *order = json_dumps(wanted, JSON_COMPACT);
    const struct lab_result_measurement *found = NULL;
    assert_non_null(order);
    for (size_t i = 0; i < file->count; i++) {
        char *found_order = json_dumps(file->measurements[i].axes, JSON_COMPACT);
        if (strcmp(found_order, order) == 0 && strcmp(file->measurements[i].metric, metric) == 0)
            found = &file->measurements[i];
        free(found_order);
    }
    free(order);
    json_decref(wanted);
    if (found == NULL)
        fail_msg("there is no '%s' at %s", metric, axes);
    return found;
}

void result_check_samples(const struct lab_result_file *file, const char *metric, const char *axes, const char *unit,
                          const double *samples, size_t count)
{
    const struct lab_result_measurement *found = result_find(file, metric, axes);
    assert_string_equal(found->unit, unit);
    assert_int_equal(found->sample_count, count);
    assert_int_equal(found->figures.n, 0);
    for (size_t i = 0; i < count; i++)
        assert_float_equal(found->samples[i], samples[i], 0);
}

void result_check_note(const struct lab_result_file *file, const char *note)
{
    for (size_t i = 0; i < file->note_count; i++)
        if (strcmp(file->notes[i], note) == 0)
            return;
    fail_msg("no note is '%s'; the first of %zu is '%s'", note, file->note_count,
             file->note_count > 0 ? file->notes[0] : "");
}

void result_check_refused(const char *format, const char *text, const char *code, const char *pointer,
                          const char *detail)
{
    struct lab_result_file file = {0};
    struct lab_errors errors = {0};
    assert_false(lab_result_format_read(format_of(format), text, strlen(text), &file, &errors));
    lab_result_file_release(&file);
    errors.items[0].detail[strlen(detail)] = '\0';
    assert_string_equal(errors.items[0].detail, detail);
    assert_string_equal(errors.items[0].pointer, pointer);
    assert_string_equal(lab_error_name(errors.items[0].code), code);
}

void result_check_damaged(const char *format, const char *name, const char *from, const char *to, const char *code,
                          const char *pointer, const char *detail)
{
    char *text = corpus_text(name), *place = strstr(text, from), *damaged = NULL;
    if (place == NULL)
        fail_msg("%s has no '%s'", name, from);
    assert_true(asprintf(&damaged, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from)) > 0);
    result_check_refused(format, damaged, code, pointer, detail);
    free(damaged);
    free(text);
}
