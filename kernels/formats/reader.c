/* Errors, JSON within bounds, notes, and what a file says of its machine. */
#include "formats/reader.h"

#include "core/array.h"

#include "core/json_text.h"
#include "core/number.h"
#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lab_reader_refuse(struct lab_reader *reader, const struct lab_place *at, enum lab_error_code code,
                       const char *format, ...)
{
    char detail[LAB_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    if (at->line == 0)
        return lab_errors_add(reader->errors, code, at->pointer, "%s", detail);
    return lab_errors_add(reader->errors, code, "", "Line %zu: %s", at->line, detail);
}

/* Counts what makes values: commas and brackets that are not in strings. */
static size_t count_values(const char *text, size_t length)
{
    size_t count = 0;
    bool in_string = false;
    for (const char *at = text; at < text + length; at++) {
        if (*at == '"')
            in_string = !in_string;
        else if (in_string && *at == '\\')
            at++;
        else if (!in_string && (*at == ',' || *at == '[' || *at == '{'))
            count++;
    }
    return count;
}

json_t *lab_reader_parse(struct lab_reader *reader, const struct lab_place *at, const char *what, const char *text,
                         size_t length)
{
    struct lab_json_fault fault;
    char pointer[LAB_POINTER_MAX];
    if (count_values(text, length) > LAB_RESULT_VALUES_MAX) {
        lab_reader_refuse(reader, at, LAB_ERROR_TOO_MANY, "%s of at most %d values.", what, LAB_RESULT_VALUES_MAX);
        return NULL;
    }
    json_t *value = lab_json_parse(text, length, &fault);
    if (value != NULL)
        return value;
    if (at->line > 0) {
        lab_reader_refuse(reader, at, fault.code, "%s: %s, at column %d.", what, fault.text, fault.column);
        return NULL;
    }
    lab_json_pointer_at(text, length, fault.offset, pointer, sizeof pointer);
    lab_reader_refuse(reader, &(struct lab_place){pointer, 0}, fault.code, "%s: %s, at line %d, column %d.", what,
                      fault.text, fault.line, fault.column);
    return NULL;
}

bool lab_reader_goes_on(const struct lab_reader *reader)
{
    return reader->errors->dropped < LAB_ERRORS_MAX;
}

/* --- what the file says ------------------------------------------------------------------------------------------- */

void lab_reader_note(struct lab_reader *reader, const char *format, ...)
{
    struct lab_result_file *file = reader->file;
    char text[LAB_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_utf8_drop_invalid(text); /* it may be cut in a character */
    lab_utf8_replace_control(text, ' ');
    if (file->note_count > 0 && strcmp(file->notes[file->note_count - 1], text) == 0)
        return;
    if (file->note_count == LAB_RESULT_NOTES_MAX) {
        file->notes_dropped++;
        return;
    }
    char **notes = lab_array_grow(file->notes, file->note_count, sizeof *notes), *copy = strdup(text);
    if (notes != NULL)
        file->notes = notes;
    if (notes != NULL && copy != NULL)
        file->notes[file->note_count++] = copy;
    else {
        free(copy);
        file->notes_dropped++;
    }
}

/* A text of the file as one of the machine; NULL when there is none. To be freed. */
static char *fact_of(const char *text, size_t length)
{
    char *fact = text != NULL && length > 0 ? strndup(text, length) : NULL;
    if (fact == NULL)
        return NULL;
    fact[lab_utf8_prefix(fact, LAB_RESULT_TEXT_MAX)] = '\0';
    lab_utf8_replace_control(fact, ' ');
    return fact;
}

void lab_reader_set(char **fact, const char *text)
{
    if (*fact == NULL && text != NULL)
        *fact = fact_of(text, strlen(text));
}

void lab_reader_list(json_t *list, const char *text, size_t length)
{
    char *fact = fact_of(text, length);
    if (fact != NULL && json_array_size(list) < LAB_RESULT_NOTES_MAX)
        json_array_append_new(list, json_string(fact));
    free(fact);
}

void lab_reader_version(struct lab_reader *reader, const char *of, const char *version)
{
    char *fact = version != NULL ? fact_of(version, strlen(version)) : NULL;
    if (fact != NULL)
        json_object_set_new(reader->file->versions, of, json_string(fact));
    free(fact);
}

bool lab_finite_parse(const char *text, double *value)
{
    return lab_decimal_parse(text, value) && isfinite(*value);
}
