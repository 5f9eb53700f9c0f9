/* Checks values by rows. */
#include "core/schema_place.h"

#include "core/clock.h"
#include "core/number.h"
#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Functions that read a value return the code of the error. */

static bool parse_number(const struct lab_schema *row, const struct lab_schema_given *given, double *number)
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

static enum lab_error_code read_number(const struct lab_schema *row, const struct lab_schema_given *given,
                                       struct lab_value *value)
{
    double number;
    if (!parse_number(row, given, &number) || (row->type != LAB_TYPE_NUMBER && number != floor(number)))
        return LAB_ERROR_WRONG_TYPE;
    bool low = row->above ? number <= row->minimum : number < row->minimum;
    if (!isfinite(number) || (lab_schema_has_bounds(row) && (low || number > row->maximum)))
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
    return lab_schema_has_bounds(row) && (length < row->minimum || length > row->maximum) ? LAB_ERROR_OUT_OF_BOUNDS
                                                                                          : LAB_ERROR_NONE;
}

/* Whether a text was given, and is that word. */
static bool is_text(const struct lab_schema_given *given, const char *word)
{
    return given->text != NULL && strcmp(given->text, word) == 0;
}

static enum lab_error_code read_value(const struct lab_schema *row, const struct lab_schema_given *given,
                                      struct lab_value *value)
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

static bool check_members(const struct lab_schema_place *outer, const struct lab_schema *rows, bool open,
                          const json_t *object);

static bool check_one(const struct lab_schema_place *place, const struct lab_schema_given *given,
                      struct lab_value *value)
{
    const struct lab_schema *row = place->row;
    enum lab_error_code code = read_value(row, given, value);
    if (code != LAB_ERROR_NONE)
        return lab_place_refuse(place, code, false, given);
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
static bool check_list(const struct lab_schema_place *place, const json_t *list, struct lab_value *items)
{
    const struct lab_schema *row = place->row;
    const struct lab_schema_given all = {.json = list};
    struct lab_schema item_row = *row;
    size_t count = json_array_size(list);
    bool good = true;
    if (count < row->items_min || (row->items_max > 0 && count > row->items_max))
        return lab_place_refuse(place, LAB_ERROR_OUT_OF_BOUNDS, true, &all);
    item_row.nullable = false; /* the list is */
    for (size_t i = 0; i < count && row->type != LAB_TYPE_ANY; i++) {
        const struct lab_schema_given item = {.json = json_array_get(list, i)};
        struct lab_value one = {0}, *value = items != NULL ? &items[i] : &one;
        const struct lab_schema_place of_item = {.row = &item_row, .outer = place, .index = i, .errors = place->errors};
        if (!check_one(&of_item, &item, value))
            good = false;
        else if (row->distinct && !is_new(items, i + 1))
            good = lab_place_refuse_again(&of_item, &item);
    }
    return good;
}

/* Checks a value or a list. `values` receives what was read; NULL: nothing. */
static bool read_values(const struct lab_schema_place *place, const json_t *value, struct lab_values *values)
{
    const struct lab_schema *row = place->row, list = lab_schema_as_list(row);
    struct lab_schema_place of_list = *place;
    const struct lab_schema_given given = {.json = value};
    bool is_list = row->count != LAB_ONE && json_is_array(value);
    size_t count = is_list ? json_array_size(value) : 1;
    struct lab_value one, *items = NULL;
    char pointer[LAB_POINTER_MAX];
    if (row->count == LAB_LIST && !is_list)
        return (row->nullable && json_is_null(value)) || lab_place_refuse(place, LAB_ERROR_WRONG_TYPE, true, &given);
    of_list.row = &list;
    if (values != NULL || (is_list && list.distinct)) {
        items = calloc(count + 1, sizeof *items);
        if (items == NULL)
            return lab_errors_add(place->errors, LAB_ERROR_OUT_OF_MEMORY, lab_place_pointer(place, pointer),
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
    const struct lab_schema_place place = {.row = row, .pointer = pointer, .errors = errors};
    *values = (struct lab_values){.given = values->given};
    return read_values(&place, value, values);
}

bool lab_schema_check_value(const struct lab_schema *row, const json_t *value, const char *pointer,
                            struct lab_errors *errors)
{
    const struct lab_schema_place place = {.row = row, .pointer = pointer, .errors = errors};
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
    const struct lab_schema_place place = {.row = row, .pointer = pointer, .errors = errors};
    const struct lab_schema_given given = {.text = text};
    struct lab_value read;
    return check_one(&place, &given, value != NULL ? value : &read);
}

static bool check_members(const struct lab_schema_place *outer, const struct lab_schema *rows, bool open,
                          const json_t *object)
{
    const char *name;
    json_t *value;
    char pointer[LAB_POINTER_MAX];
    bool good = true;
    if (rows == lab_any_members)
        return true;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const struct lab_schema_place member = {.outer = outer, .name = name};
        if (!open && lab_schema_find(rows, name) == NULL)
            good = lab_schema_refuse_unknown(rows, "field", LAB_ERROR_UNKNOWN_FIELD, name,
                                             lab_place_pointer(&member, pointer), outer->errors);
    }
    for (; rows != NULL && rows->name != NULL; rows++) {
        const struct lab_schema_place member = {
            .row = rows, .outer = outer, .name = rows->name, .errors = outer->errors};
        value = json_object_get(object, rows->name);
        if (value != NULL)
            good = read_values(&member, value, NULL) && good;
        else if (rows->required)
            good = lab_schema_refuse_missing(rows, lab_place_pointer(&member, pointer), outer->errors);
    }
    return good;
}

bool lab_schema_check_members(const struct lab_schema *rows, const json_t *object, const char *pointer,
                              struct lab_errors *errors)
{
    const struct lab_schema_place place = {.pointer = pointer, .errors = errors};
    return check_members(&place, rows, false, object);
}
