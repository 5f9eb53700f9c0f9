/* What the errors of schema.c say: what is wanted, and what was given. */
#include "core/schema_place.h"

#include "core/number.h"
#include "core/suggestion.h"
#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED_SIZE = 240, SHOWN_SIZE = 64 };

/* --- what is wanted, and what was given --------------------------------------------------------------------------- */

/* The words for one value, and for several. */
static const struct {
    const char *one, *several;
} words[] = {
    [LAB_TYPE_STRING] = {"a string", "strings"},
    [LAB_TYPE_CHOICE] = {"", "values"},
    [LAB_TYPE_TIME] = {"an RFC 3339 time such as 2026-01-31T12:00:00Z or a date such as 2026-01-31", "times"},
    [LAB_TYPE_INTEGER] = {"an integer in digits", "integers"},
    [LAB_TYPE_WHOLE] = {"an integer", "integers"},
    [LAB_TYPE_SIZE] = {"a whole number or a size (" LAB_SIZE_EXAMPLES ")", "values"},
    [LAB_TYPE_NUMBER] = {"a number", "numbers"},
    [LAB_TYPE_BOOLEAN] = {"true or false", "values"},
    [LAB_TYPE_EXPRESSION] = {"a number or an expression", "values"},
    [LAB_TYPE_SCALAR] = {"a string, a number, true or false", "values"},
    [LAB_TYPE_ANY] = {"a value", "values"},
    [LAB_TYPE_OBJECT] = {"an object", "objects"},
};

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* " from 1 to 500 B". */
static void append_bounds(char *text, const struct lab_schema *row)
{
    bool has_maximum = isfinite(row->maximum);
    if (row->type == LAB_TYPE_STRING && row->minimum > 0)
        append(text, WANTED_SIZE, " of %.15g to %.15g characters", row->minimum, row->maximum);
    else if (row->type == LAB_TYPE_STRING)
        append(text, WANTED_SIZE, " of at most %.15g characters", row->maximum);
    else if (row->above)
        append(text, WANTED_SIZE, has_maximum ? " above %.16g, at most %.16g" : " above %.16g", row->minimum,
               row->maximum);
    else
        append(text, WANTED_SIZE, has_maximum ? " from %.16g to %.16g" : " of at least %.16g", row->minimum,
               row->maximum);
    if (row->unit != NULL && strcmp(row->unit, "1") != 0)
        append(text, WANTED_SIZE, " %s", row->unit);
}

static void append_list(char *text, const struct lab_schema *row)
{
    append(text, WANTED_SIZE, "a list of ");
    if (row->items_min > 0 && row->items_min == row->items_max)
        append(text, WANTED_SIZE, "%zu ", row->items_min);
    else if (row->items_min > 0)
        append(text, WANTED_SIZE, "%zu to %zu ", row->items_min, row->items_max);
    else if (row->items_max > 0)
        append(text, WANTED_SIZE, "at most %zu ", row->items_max);
    append(text, WANTED_SIZE, "%s", words[row->type].several);
}

static void append_value(char *text, const struct lab_schema *row)
{
    append(text, WANTED_SIZE, "%s", words[row->type].one);
    struct lab_choices choices = lab_schema_choices(row);
    for (size_t i = 0; row->type == LAB_TYPE_CHOICE && lab_choice_text(choices, i) != NULL; i++)
        append(text, WANTED_SIZE, "%s%s",
               i == 0                                    ? ""
               : lab_choice_text(choices, i + 1) != NULL ? ", "
                                                         : " or ",
               lab_choice_text(choices, i));
    if (lab_schema_has_bounds(row))
        append_bounds(text, row);
}

/* What the value of a row must be: "an integer from 1 to 500". `as_list`: the value as a whole, which is a list. */
static const char *wanted(const struct lab_schema *row, bool as_list, char text[WANTED_SIZE])
{
    text[0] = '\0';
    if (as_list)
        append_list(text, row);
    else
        append_value(text, row);
    append(text, WANTED_SIZE, row->nullable ? " or null" : "");
    return text;
}

/* Copies what was given for a message: as much as fits between quotation marks, with '?' for every byte of a control
 * character. */
static const char *printable(const char *text, char shown[SHOWN_SIZE - 2])
{
    lab_utf8_copy(shown, SHOWN_SIZE - 2, text);
    lab_utf8_replace_control(shown, '?');
    return shown;
}

static const char *show(const struct lab_schema_given *given, bool as_list, char shown[SHOWN_SIZE])
{
    const json_t *json = given->json;
    char copy[SHOWN_SIZE - 2];
    if (json == NULL)
        snprintf(shown, SHOWN_SIZE, "'%s'", printable(given->text, copy));
    else if (json_is_string(json))
        snprintf(shown, SHOWN_SIZE, "\"%s\"", printable(json_string_value(json), copy));
    else if (json_is_integer(json))
        snprintf(shown, SHOWN_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
    else if (json_is_array(json) && as_list)
        snprintf(shown, SHOWN_SIZE, "a list of %zu", json_array_size(json));
    else if (!json_is_real(json))
        snprintf(shown, SHOWN_SIZE, "%s",
                 json_is_array(json)    ? "a list"
                 : json_is_object(json) ? "an object"
                 : json_is_null(json)   ? "null"
                 : json_is_true(json)   ? "true"
                                        : "false");
    else if (snprintf(shown, SHOWN_SIZE, "%.15g", json_real_value(json)) > 0 &&
             strtod(shown, NULL) != json_real_value(json))
        snprintf(shown, SHOWN_SIZE, "%.17g", json_real_value(json));
    return shown;
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

const char *lab_place_pointer(const struct lab_schema_place *place, char pointer[LAB_POINTER_MAX])
{
    if (place->outer == NULL) {
        snprintf(pointer, LAB_POINTER_MAX, "%s", place->pointer);
        return pointer;
    }
    lab_place_pointer(place->outer, pointer);
    if (place->name != NULL)
        lab_pointer_append(pointer, LAB_POINTER_MAX, place->name, strlen(place->name));
    else
        lab_pointer_append_index(pointer, LAB_POINTER_MAX, place->index);
    return pointer;
}

/* "'limit' ", "Each of 'tags' ". */
static const char *subject(const struct lab_schema_place *place, char text[SHOWN_SIZE])
{
    const char *name = place->row->name;
    bool is_item = place->outer != NULL && place->name == NULL;
    text[0] = '\0';
    if (name != NULL)
        snprintf(text, SHOWN_SIZE, "%s'%s' ", is_item ? "Each of " : "", name);
    return text;
}

/* The choice of a row that was probably meant by a text. */
static const char *suggest_choice(const struct lab_schema *row, const struct lab_schema_given *given,
                                  char text[LAB_SUGGESTION_SIZE])
{
    const char *name = given->json != NULL ? json_string_value(given->json) : given->text;
    struct lab_choices choices = lab_schema_choices(row);
    struct lab_suggestion suggestion = {.given = name, .length = name != NULL ? strlen(name) : 0};
    for (size_t i = 0; name != NULL && lab_choice_text(choices, i) != NULL; i++)
        lab_suggestion_consider(&suggestion, lab_choice_text(choices, i));
    return lab_suggestion_text(&suggestion, text);
}

bool lab_place_refuse(const struct lab_schema_place *place, enum lab_error_code code, bool as_list,
                      const struct lab_schema_given *given)
{
    char pointer[LAB_POINTER_MAX], who[SHOWN_SIZE], what[WANTED_SIZE], shown[SHOWN_SIZE],
        near[LAB_SUGGESTION_SIZE] = "";
    bool is_time_of_url = place->row->type == LAB_TYPE_TIME && given->json == NULL;
    /* The choices are shown without quotation marks: 0 may be one, and not the number that was given. */
    bool is_no_string =
        place->row->type == LAB_TYPE_CHOICE && (json_is_number(given->json) || json_is_boolean(given->json));
    if (code == LAB_ERROR_UNKNOWN_VALUE)
        suggest_choice(place->row, given, near);
    subject(place, who);
    show(given, as_list, shown);
    /* Where not all fits, the choices are cut rather than the suggestion. */
    size_t others = strlen(who) + strlen(shown) + strlen(near) + sizeof "must be , not .";
    int room = near[0] != '\0' ? (int)(LAB_DETAIL_MAX - others) : WANTED_SIZE;
    return lab_errors_add(place->errors, code, lab_place_pointer(place, pointer), "%smust be %s%.*s%s, not %s.%s", who,
                          is_no_string ? "the string " : "", room, wanted(place->row, as_list, what),
                          is_time_of_url ? " (in a URL, write '+' as %2B)" : "", shown, near);
}

bool lab_place_refuse_again(const struct lab_schema_place *place, const struct lab_schema_given *given)
{
    char pointer[LAB_POINTER_MAX], who[SHOWN_SIZE], shown[SHOWN_SIZE];
    return lab_errors_add(place->errors, LAB_ERROR_DUPLICATE, lab_place_pointer(place, pointer),
                          "%smust not have a value twice: %s.", subject(place->outer, who), show(given, false, shown));
}

bool lab_schema_refuse_missing(const struct lab_schema *row, const char *pointer, struct lab_errors *errors)
{
    char what[WANTED_SIZE];
    return lab_errors_add(errors, LAB_ERROR_MISSING, pointer, "'%s' is missing; it must be %s.", row->name,
                          wanted(row, row->count == LAB_LIST, what));
}

bool lab_schema_refuse_unknown(const struct lab_schema *rows, const char *what, enum lab_error_code code,
                               const char *name, const char *pointer, struct lab_errors *errors)
{
    char shown[SHOWN_SIZE], names[WANTED_SIZE] = "none is allowed", near[LAB_SUGGESTION_SIZE];
    struct lab_suggestion suggestion = {.given = name, .length = strlen(name)};
    for (size_t i = 0; rows != NULL && rows[i].name != NULL; i++)
        lab_suggestion_consider(&suggestion, rows[i].name);
    size_t room = WANTED_SIZE - strlen(lab_suggestion_text(&suggestion, near));
    for (size_t i = 0; rows != NULL && rows[i].name != NULL; i++) {
        if (i == 0)
            names[0] = '\0';
        if (strlen(names) + strlen(rows[i].name) + sizeof "allowed are , …" > room) {
            append(names, WANTED_SIZE, ", …");
            break;
        }
        append(names, WANTED_SIZE, "%s%s", i == 0 ? "allowed are " : ", ", rows[i].name);
    }
    return lab_errors_add(errors, code, pointer, "Unknown %s '%s'; %s.%s", what, printable(name, shown), names, near);
}
