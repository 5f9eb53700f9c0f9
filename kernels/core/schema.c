/* Checks values by rows. */
#include "core/schema.h"

#include "core/clock.h"
#include "core/number.h"
#include "core/suggestion.h"
#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED_SIZE = 240, SHOWN_SIZE = 64 };

const struct lab_schema lab_any_members[] = {{.name = "*"}, {0}};

const struct lab_schema *lab_schema_find(const struct lab_schema *rows, const char *name)
{
    for (; rows != NULL && rows->name != NULL; rows++)
        if (rows == lab_any_members || strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

bool lab_schema_has_required(const struct lab_schema *rows)
{
    for (; rows != NULL && rows->name != NULL; rows++)
        if (rows->required)
            return true;
    return false;
}

static bool has_bounds(const struct lab_schema *row)
{
    return row->minimum != 0 || row->maximum != 0;
}

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

/* A value as it was given: JSON, or a text that stands for a value of the row's type. */
struct given {
    const json_t *json;
    const char *text;
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
    if (has_bounds(row))
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

/* Copies what was given for a message: as much as fits between quotation marks, with '?' for every byte of a control character. */
static const char *printable(const char *text, char shown[SHOWN_SIZE - 2])
{
    lab_utf8_copy(shown, SHOWN_SIZE - 2, text);
    lab_utf8_replace_control(shown, '?');
    return shown;
}

static const char *show(const struct given *given, bool as_list, char shown[SHOWN_SIZE])
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

/* The value that is checked. Its pointer is made where an error is. */
struct place {
    const struct lab_schema *row;
    const struct place *outer; /* the object or list that has the value; NULL: `pointer` leads to it */
    const char *pointer;
    const char *name; /* of a member; NULL: an item of a list */
    size_t index;     /* of an item */
    struct lab_errors *errors;
};

static const char *pointer_of(const struct place *place, char pointer[LAB_POINTER_MAX])
{
    if (place->outer == NULL) {
        snprintf(pointer, LAB_POINTER_MAX, "%s", place->pointer);
        return pointer;
    }
    pointer_of(place->outer, pointer);
    if (place->name != NULL)
        lab_pointer_append(pointer, LAB_POINTER_MAX, place->name, strlen(place->name));
    else
        lab_pointer_append_index(pointer, LAB_POINTER_MAX, place->index);
    return pointer;
}

/* "'limit' ", "Each of 'tags' ". */
static const char *subject(const struct place *place, char text[SHOWN_SIZE])
{
    const char *name = place->row->name;
    bool is_item = place->outer != NULL && place->name == NULL;
    text[0] = '\0';
    if (name != NULL)
        snprintf(text, SHOWN_SIZE, "%s'%s' ", is_item ? "Each of " : "", name);
    return text;
}

/* The choice of a row that was probably meant by a text. */
static const char *suggest_choice(const struct lab_schema *row, const struct given *given,
                                  char text[LAB_SUGGESTION_SIZE])
{
    const char *name = given->json != NULL ? json_string_value(given->json) : given->text;
    struct lab_choices choices = lab_schema_choices(row);
    struct lab_suggestion suggestion = {.given = name, .length = name != NULL ? strlen(name) : 0};
    for (size_t i = 0; name != NULL && lab_choice_text(choices, i) != NULL; i++)
        lab_suggestion_consider(&suggestion, lab_choice_text(choices, i));
    return lab_suggestion_text(&suggestion, text);
}

static bool refuse(const struct place *place, enum lab_error_code code, bool as_list, const struct given *given)
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
    return lab_errors_add(place->errors, code, pointer_of(place, pointer), "%smust be %s%.*s%s, not %s.%s", who,
                          is_no_string ? "the string " : "", room, wanted(place->row, as_list, what),
                          is_time_of_url ? " (in a URL, write '+' as %2B)" : "", shown, near);
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

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Functions that read a value return the code of the error. */

static bool parse_number(const struct lab_schema *row, const struct given *given, double *number)
{
    const char *text = given->json != NULL ? json_string_value(given->json) : given->text;
    *number = json_number_value(given->json);
    if (row->type == LAB_TYPE_INTEGER && json_is_real(given->json))
        return false;
    if (json_is_number(given->json))
        return true;
    if (text == NULL || (given->json != NULL && row->type != LAB_TYPE_SIZE))
        return false;
    if (row->type == LAB_TYPE_INTEGER && text[strspn(text, "-0123456789")] != '\0')
        return false;
    return row->type == LAB_TYPE_SIZE ? lab_size_parse(text, number) : lab_decimal_parse(text, number);
}

static enum lab_error_code read_number(const struct lab_schema *row, const struct given *given, struct lab_value *value)
{
    double number;
    if (!parse_number(row, given, &number) || (row->type != LAB_TYPE_NUMBER && number != floor(number)))
        return LAB_ERROR_WRONG_TYPE;
    bool low = row->above ? number <= row->minimum : number < row->minimum;
    if (!isfinite(number) || (has_bounds(row) && (low || number > row->maximum)))
        return LAB_ERROR_OUT_OF_BOUNDS;
    if (row->type != LAB_TYPE_NUMBER && !json_is_integer(given->json) && fabs(number) > LAB_INTEGER_MAX)
        return LAB_ERROR_OUT_OF_BOUNDS;
    value->number = number;
    if (row->type != LAB_TYPE_NUMBER)
        value->integer = json_is_integer(given->json) ? json_integer_value(given->json) : (int64_t)number;
    return LAB_ERROR_NONE;
}

size_t lab_choice_find(struct lab_choices choices, const char *text)
{
    size_t i = 0;
    while (lab_choice_text(choices, i) != NULL && strcmp(lab_choice_text(choices, i), text) != 0)
        i++;
    return i;
}

static enum lab_error_code read_choice(const struct lab_schema *row, const char *text, struct lab_value *value)
{
    struct lab_choices choices = lab_schema_choices(row);
    size_t i = lab_choice_find(choices, text);
    value->integer = (int64_t)i;
    return lab_choice_text(choices, i) != NULL ? LAB_ERROR_NONE : LAB_ERROR_UNKNOWN_VALUE;
}

static enum lab_error_code read_string(const struct lab_schema *row, const char *text, struct lab_value *value)
{
    int64_t at;
    value->text = text;
    if (text == NULL)
        return LAB_ERROR_WRONG_TYPE;
    if (row->type == LAB_TYPE_CHOICE)
        return read_choice(row, text, value);
    if (row->type == LAB_TYPE_TIME)
        return lab_time_parse(text, &at) ? LAB_ERROR_NONE : LAB_ERROR_WRONG_TYPE;
    double length = (double)lab_utf8_count(text, strlen(text));
    return has_bounds(row) && (length < row->minimum || length > row->maximum) ? LAB_ERROR_OUT_OF_BOUNDS
                                                                               : LAB_ERROR_NONE;
}

/* Whether a text was given, and is that word. */
static bool is_text(const struct given *given, const char *word)
{
    return given->text != NULL && strcmp(given->text, word) == 0;
}

static enum lab_error_code read_value(const struct lab_schema *row, const struct given *given, struct lab_value *value)
{
    const char *text = given->json != NULL ? json_string_value(given->json) : given->text;
    *value = (struct lab_value){0};
    if (row->nullable && json_is_null(given->json))
        return LAB_ERROR_NONE;
    switch (row->type) {
    case LAB_TYPE_STRING:
    case LAB_TYPE_CHOICE:
    case LAB_TYPE_TIME:
        return read_string(row, text, value);
    case LAB_TYPE_INTEGER:
    case LAB_TYPE_WHOLE:
    case LAB_TYPE_SIZE:
    case LAB_TYPE_NUMBER:
        return read_number(row, given, value);
    case LAB_TYPE_BOOLEAN:
        value->integer = json_is_true(given->json) || is_text(given, "true");
        return json_is_boolean(given->json) || value->integer || is_text(given, "false") ? LAB_ERROR_NONE
                                                                                         : LAB_ERROR_WRONG_TYPE;
    case LAB_TYPE_EXPRESSION:
        *value = (struct lab_value){.number = json_number_value(given->json), .text = text};
        return text != NULL || json_is_number(given->json) ? LAB_ERROR_NONE : LAB_ERROR_WRONG_TYPE;
    case LAB_TYPE_SCALAR:
    case LAB_TYPE_ANY:
        return LAB_ERROR_NONE;
    case LAB_TYPE_OBJECT:
        return json_is_object(given->json) ? LAB_ERROR_NONE : LAB_ERROR_WRONG_TYPE;
    }
    return LAB_ERROR_WRONG_TYPE;
}

static bool check_members(const struct place *outer, const struct lab_schema *rows, bool open, const json_t *object);

static bool check_one(const struct place *place, const struct given *given, struct lab_value *value)
{
    const struct lab_schema *row = place->row;
    enum lab_error_code code = read_value(row, given, value);
    if (code != LAB_ERROR_NONE)
        return refuse(place, code, false, given);
    return row->type != LAB_TYPE_OBJECT || row->members == NULL || json_is_null(given->json) ||
           check_members(place, row->members, row->open, given->json);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* Whether the last value differs from all others. */
static bool is_new(const struct lab_value *values, size_t count)
{
    const struct lab_value *last = &values[count - 1];
    for (size_t i = 0; i + 1 < count; i++)
        if (values[i].integer == last->integer && values[i].number == last->number &&
            (last->text == NULL || (values[i].text != NULL && strcmp(values[i].text, last->text) == 0)))
            return false;
    return true;
}

/* Checks a list. `items` receives the values; it may be NULL where they need not be distinct. */
static bool check_list(const struct place *place, const json_t *list, struct lab_value *items)
{
    const struct lab_schema *row = place->row;
    const struct given all = {.json = list};
    struct lab_schema item_row = *row;
    size_t count = json_array_size(list);
    bool good = true;
    if (count < row->items_min || (row->items_max > 0 && count > row->items_max))
        return refuse(place, LAB_ERROR_OUT_OF_BOUNDS, true, &all);
    item_row.nullable = false; /* the list is */
    for (size_t i = 0; i < count && row->type != LAB_TYPE_ANY; i++) {
        const struct given item = {.json = json_array_get(list, i)};
        struct lab_value one = {0}, *value = items != NULL ? &items[i] : &one;
        const struct place of_item = {.row = &item_row, .outer = place, .index = i, .errors = place->errors};
        char pointer[LAB_POINTER_MAX], who[SHOWN_SIZE], shown[SHOWN_SIZE];
        if (!check_one(&of_item, &item, value))
            good = false;
        else if (row->distinct && !is_new(items, i + 1))
            good = lab_errors_add(place->errors, LAB_ERROR_DUPLICATE, pointer_of(&of_item, pointer),
                                  "%smust not have a value twice: %s.", subject(place, who), show(&item, false, shown));
    }
    return good;
}

/* Checks a value or a list. `values` receives what was read; NULL: nothing. */
static bool read_values(const struct place *place, const json_t *value, struct lab_values *values)
{
    const struct lab_schema *row = place->row, list = lab_schema_as_list(row);
    struct place of_list = *place;
    const struct given given = {.json = value};
    bool is_list = row->count != LAB_ONE && json_is_array(value);
    size_t count = is_list ? json_array_size(value) : 1;
    struct lab_value one, *items = NULL;
    char pointer[LAB_POINTER_MAX];
    if (row->count == LAB_LIST && !is_list)
        return (row->nullable && json_is_null(value)) || refuse(place, LAB_ERROR_WRONG_TYPE, true, &given);
    of_list.row = &list;
    if (values != NULL || (is_list && list.distinct)) {
        items = calloc(count + 1, sizeof *items);
        if (items == NULL)
            return lab_errors_add(place->errors, LAB_ERROR_OUT_OF_MEMORY, pointer_of(place, pointer),
                                  "out of memory for the values");
    }
    bool good = is_list ? check_list(&of_list, value, items) : check_one(place, &given, items != NULL ? items : &one);
    if (values != NULL)
        *values = (struct lab_values){.given = values->given, .count = count, .items = items};
    else
        free(items);
    return good;
}

bool lab_schema_read(const struct lab_schema *row, const json_t *value, const char *pointer, struct lab_values *values,
                     struct lab_errors *errors)
{
    const struct place place = {.row = row, .pointer = pointer, .errors = errors};
    *values = (struct lab_values){.given = values->given};
    return read_values(&place, value, values);
}

bool lab_schema_check_value(const struct lab_schema *row, const json_t *value, const char *pointer,
                            struct lab_errors *errors)
{
    const struct place place = {.row = row, .pointer = pointer, .errors = errors};
    return read_values(&place, value, NULL);
}

size_t lab_schema_choice(const struct lab_schema *rows, const json_t *object, const char *name)
{
    const struct lab_schema *row = lab_schema_find(rows, name);
    const char *text = json_string_value(json_object_get(object, name));
    struct lab_value value = {0};
    read_choice(row, text != NULL ? text : row->fallback, &value);
    return (size_t)value.integer;
}

bool lab_schema_read_text(const struct lab_schema *row, const char *text, const char *pointer, struct lab_value *value,
                          struct lab_errors *errors)
{
    const struct place place = {.row = row, .pointer = pointer, .errors = errors};
    const struct given given = {.text = text};
    struct lab_value read;
    return check_one(&place, &given, value != NULL ? value : &read);
}

static bool check_members(const struct place *outer, const struct lab_schema *rows, bool open, const json_t *object)
{
    const char *name;
    json_t *value;
    char pointer[LAB_POINTER_MAX];
    bool good = true;
    if (rows == lab_any_members)
        return true;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const struct place member = {.outer = outer, .name = name};
        if (!open && lab_schema_find(rows, name) == NULL)
            good = lab_schema_refuse_unknown(rows, "field", LAB_ERROR_UNKNOWN_FIELD, name, pointer_of(&member, pointer),
                                             outer->errors);
    }
    for (; rows != NULL && rows->name != NULL; rows++) {
        const struct place member = {.row = rows, .outer = outer, .name = rows->name, .errors = outer->errors};
        value = json_object_get(object, rows->name);
        if (value != NULL)
            good = read_values(&member, value, NULL) && good;
        else if (rows->required)
            good = lab_schema_refuse_missing(rows, pointer_of(&member, pointer), outer->errors);
    }
    return good;
}

bool lab_schema_check_members(const struct lab_schema *rows, const json_t *object, const char *pointer,
                              struct lab_errors *errors)
{
    const struct place place = {.pointer = pointer, .errors = errors};
    return check_members(&place, rows, false, object);
}
