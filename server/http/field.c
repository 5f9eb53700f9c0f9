/* The check of a request against its fields. Every message names the field, says what it must be, and shows what was sent. */
#include "field.h"

#include "target.h"

#include "core/clock.h"
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct lab_field lab_any_fields[] = {{.name = "*"}, {0}};

enum { WANTED_SIZE = 200, SHOWN_SIZE = 41 };

const struct lab_field *lab_field_find(const struct lab_field *fields, const char *name)
{
    for (; fields != NULL && fields->name != NULL; fields++)
        if (fields == lab_any_fields || strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

bool lab_fields_required(const struct lab_field *fields)
{
    for (; fields != NULL && fields->name != NULL; fields++)
        if (fields->required)
            return true;
    return false;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_choices(char *text, size_t size, const char *const *choices)
{
    for (size_t i = 0; choices[i] != NULL; i++)
        append(text, size, "%s%s", i == 0 ? "" : choices[i + 1] != NULL ? ", " : " or ", choices[i]);
}

/* What the value of a field must be: "an integer from 1 to 500". */
static const char *wanted(const struct lab_field *field, char text[WANTED_SIZE])
{
    text[0] = '\0';
    switch (field->type) {
    case LAB_TYPE_STRING:
        append(text, WANTED_SIZE, "a string of %.15g to %.15g characters", field->minimum, field->maximum);
        break;
    case LAB_TYPE_CHOICE:
        append_choices(text, WANTED_SIZE, field->choices);
        break;
    case LAB_TYPE_TIME:
        append(text, WANTED_SIZE,
               "an RFC 3339 time such as 2026-01-31T12:00:00Z (in a URL, write '+' as %%2B) or a date "
               "such as 2026-01-31");
        break;
    case LAB_TYPE_INTEGER:
        append(text, WANTED_SIZE, "an integer in digits, from %.16g to %.16g", field->minimum, field->maximum);
        break;
    case LAB_TYPE_NUMBER:
        append(text, WANTED_SIZE, field->above ? "a number above %.16g, at most %.16g" : "a number from %.16g to %.16g",
               field->minimum, field->maximum);
        break;
    case LAB_TYPE_BOOLEAN:
        append(text, WANTED_SIZE, "true or false");
        break;
    case LAB_TYPE_STRINGS:
        append(text, WANTED_SIZE, "a list of at most %zu strings", field->items_max);
        break;
    case LAB_TYPE_LIST:
        append(text, WANTED_SIZE, "a list of at most %zu values", field->items_max);
        break;
    case LAB_TYPE_VALUE:
        append(text, WANTED_SIZE, "a value");
        break;
    case LAB_TYPE_OBJECT:
        append(text, WANTED_SIZE, field->nullable ? "an object or null" : "an object");
        break;
    }
    return text;
}

/* The names of a table, for an error about an unknown one. */
static const char *allowed(const struct lab_field *fields, char text[WANTED_SIZE])
{
    snprintf(text, WANTED_SIZE, fields != NULL && fields->name != NULL ? "allowed are " : "none is allowed");
    for (size_t i = 0; fields != NULL && fields[i].name != NULL; i++)
        append(text, WANTED_SIZE, "%s%s", i > 0 ? ", " : "", fields[i].name);
    return text;
}

/* Copies the client's text for a message: cut to 40 bytes, with '?' for every byte that is not printable ASCII. */
static const char *printable(const char *text, char shown[SHOWN_SIZE])
{
    snprintf(shown, SHOWN_SIZE, "%s", text);
    for (char *c = shown; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return shown;
}

static const char *printable_json(const json_t *value, char shown[SHOWN_SIZE])
{
    if (json_is_object(value) || json_is_array(value))
        return json_is_object(value) ? "an object" : "a list";
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    printable(text != NULL ? text : "", shown);
    free(text);
    return shown;
}

/* Why a value is refused. */
enum fault { FAULT_NONE, FAULT_TYPE, FAULT_BOUNDS, FAULT_CHOICE };
static const char *const fault_codes[] = {
    [FAULT_TYPE] = "wrong-type", [FAULT_BOUNDS] = "out-of-bounds", [FAULT_CHOICE] = "unknown-value"};

static bool add_fault(const struct lab_field *field, enum fault fault, const char *pointer, const char *shown,
                      struct lab_errors *errors)
{
    char text[WANTED_SIZE];
    return fault == FAULT_NONE || lab_errors_add(errors, fault_codes[fault], pointer, "'%s' must be %s, not %s.",
                                                 field->name, wanted(field, text), shown);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static enum fault check_number(const struct lab_field *field, double value)
{
    bool low = field->above ? value <= field->minimum : value < field->minimum;
    return low || value > field->maximum ? FAULT_BOUNDS : FAULT_NONE;
}

static enum fault check_string(const struct lab_field *field, const char *value)
{
    double length = (double)lab_utf8_count(value, strlen(value));
    return length < field->minimum || length > field->maximum ? FAULT_BOUNDS : FAULT_NONE;
}

static enum fault check_choice(const struct lab_field *field, const char *value)
{
    for (const char *const *choice = field->choices; *choice != NULL; choice++)
        if (strcmp(*choice, value) == 0)
            return FAULT_NONE;
    return FAULT_CHOICE;
}

/* --- queries and headers ------------------------------------------------------------------------------------------ */

static enum fault check_number_text(const struct lab_field *field, const char *text)
{
    bool integer = field->type == LAB_TYPE_INTEGER;
    char *end;
    if (text[strspn(text, integer ? "-0123456789" : "+-.0123456789eE")] != '\0' || text[0] == '\0')
        return FAULT_TYPE;
    double value = strtod(text, &end);
    return *end != '\0' ? FAULT_TYPE : check_number(field, value);
}

static enum fault check_text(const struct lab_field *field, const char *text)
{
    int64_t at;
    switch (field->type) {
    case LAB_TYPE_STRING:
        return check_string(field, text);
    case LAB_TYPE_CHOICE:
        return check_choice(field, text);
    case LAB_TYPE_TIME:
        return lab_time_parse(text, &at) ? FAULT_NONE : FAULT_TYPE;
    case LAB_TYPE_BOOLEAN:
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ? FAULT_NONE : FAULT_TYPE;
    default:
        return check_number_text(field, text);
    }
}

static bool check_parameter(const struct lab_field *field, const char *pointer, const char *value,
                            struct lab_errors *errors)
{
    char shown[SHOWN_SIZE], quoted[SHOWN_SIZE + 2];
    snprintf(quoted, sizeof quoted, "'%s'", printable(value, shown));
    return add_fault(field, check_text(field, value), pointer, quoted, errors);
}

static bool is_repeated(const struct lab_query *queries, size_t index)
{
    for (size_t earlier = 0; earlier < index; earlier++)
        if (strcmp(queries[earlier].name, queries[index].name) == 0)
            return true;
    return false;
}

static bool is_given(const struct lab_query *queries, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(queries[i].name, name) == 0)
            return true;
    return false;
}

static void check_query(const struct lab_field *fields, const struct lab_query *queries, size_t index,
                        struct lab_errors *errors)
{
    const char *name = queries[index].name;
    const struct lab_field *field = lab_field_find(fields, name);
    char text[WANTED_SIZE], shown[SHOWN_SIZE], pointer[LAB_POINTER_MAX] = "/query";
    lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
    if (field == NULL)
        lab_errors_add(errors, "unknown-parameter", pointer, "Unknown query parameter '%s'; %s.",
                       printable(name, shown), allowed(fields, text));
    else if (is_repeated(queries, index))
        lab_errors_add(errors, "repeated-parameter", pointer, "The query parameter '%s' must be given only once.",
                       name);
    else
        check_parameter(field, pointer, queries[index].value, errors);
}

bool lab_fields_check_query(const struct lab_field *fields, const struct lab_query *queries, size_t count,
                            struct lab_errors *errors)
{
    size_t count_before = errors->count;
    if (fields == lab_any_fields)
        return true;
    for (size_t i = 0; i < count; i++)
        check_query(fields, queries, i, errors);
    for (const struct lab_field *field = fields; field != NULL && field->name != NULL; field++) {
        char text[WANTED_SIZE], pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/query/%s", field->name);
        if (field->required && !is_given(queries, count, field->name))
            lab_errors_add(errors, "missing", pointer, "'%s' is missing; it must be %s.", field->name,
                           wanted(field, text));
    }
    return errors->count == count_before;
}

bool lab_field_check_header(const struct lab_field *field, const char *value, struct lab_errors *errors)
{
    char pointer[LAB_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "/headers/%s", field->name);
    for (const char *c = value; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            return lab_errors_add(errors, "wrong-type", pointer, "'%s' must have only printable ASCII characters.",
                                  field->name);
    return check_parameter(field, pointer, value, errors);
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

static bool check_item(const struct lab_field *field, const json_t *list, size_t index, struct lab_errors *errors)
{
    char shown[SHOWN_SIZE], pointer[LAB_POINTER_MAX] = "";
    const json_t *item = json_array_get(list, index);
    const char *text = json_string_value(item);
    lab_pointer_append(pointer, sizeof pointer, field->name, strlen(field->name));
    lab_pointer_append_index(pointer, sizeof pointer, index);
    if (text == NULL || check_string(field, text) != FAULT_NONE)
        return lab_errors_add(errors, fault_codes[text == NULL ? FAULT_TYPE : FAULT_BOUNDS], pointer,
                              "Each of '%s' must be a string of %.15g to %.15g characters, not %s.", field->name,
                              field->minimum, field->maximum, printable_json(item, shown));
    for (size_t earlier = 0; earlier < index; earlier++)
        if (json_equal(json_array_get(list, earlier), item))
            return lab_errors_add(errors, "duplicate", pointer, "'%s' must not have a value twice: %s.", field->name,
                                  printable_json(item, shown));
    return true;
}

static enum fault check_list(const struct lab_field *field, const json_t *value, struct lab_errors *errors)
{
    if (!json_is_array(value))
        return FAULT_TYPE;
    if (json_array_size(value) > field->items_max)
        return FAULT_BOUNDS;
    for (size_t i = 0; i < json_array_size(value); i++)
        check_item(field, value, i, errors);
    return FAULT_NONE;
}

/* Pointers of the members begin with that of the object. */
static enum fault check_object(const struct lab_field *field, const json_t *value, struct lab_errors *errors)
{
    struct lab_errors inner = {0};
    char pointer[LAB_POINTER_MAX] = "";
    if (field->nullable && json_is_null(value))
        return FAULT_NONE;
    if (!json_is_object(value))
        return FAULT_TYPE;
    lab_pointer_append(pointer, sizeof pointer, field->name, strlen(field->name));
    if (field->members != NULL && !lab_fields_check_body(field->members, value, &inner))
        lab_errors_append(errors, &inner, pointer);
    return FAULT_NONE;
}

static enum fault check_value(const struct lab_field *field, const json_t *value, struct lab_errors *errors)
{
    switch (field->type) {
    case LAB_TYPE_STRING:
        return json_is_string(value) ? check_string(field, json_string_value(value)) : FAULT_TYPE;
    case LAB_TYPE_CHOICE:
        return json_is_string(value) ? check_choice(field, json_string_value(value)) : FAULT_TYPE;
    case LAB_TYPE_TIME:
        return json_is_string(value) ? check_text(field, json_string_value(value)) : FAULT_TYPE;
    case LAB_TYPE_INTEGER:
        return json_is_integer(value) ? check_number(field, (double)json_integer_value(value)) : FAULT_TYPE;
    case LAB_TYPE_NUMBER:
        return json_is_number(value) ? check_number(field, json_number_value(value)) : FAULT_TYPE;
    case LAB_TYPE_BOOLEAN:
        return json_is_boolean(value) ? FAULT_NONE : FAULT_TYPE;
    case LAB_TYPE_STRINGS:
        return check_list(field, value, errors);
    case LAB_TYPE_LIST:
        return !json_is_array(value)                       ? FAULT_TYPE
               : json_array_size(value) > field->items_max ? FAULT_BOUNDS
                                                           : FAULT_NONE;
    case LAB_TYPE_VALUE:
        return FAULT_NONE;
    case LAB_TYPE_OBJECT:
        return check_object(field, value, errors);
    }
    return FAULT_TYPE;
}

static void check_member(const struct lab_field *field, const json_t *body, struct lab_errors *errors)
{
    char text[WANTED_SIZE], shown[SHOWN_SIZE], pointer[LAB_POINTER_MAX] = "";
    const json_t *value = json_object_get(body, field->name);
    lab_pointer_append(pointer, sizeof pointer, field->name, strlen(field->name));
    if (value != NULL)
        add_fault(field, check_value(field, value, errors), pointer, printable_json(value, shown), errors);
    else if (field->required)
        lab_errors_add(errors, "missing", pointer, "'%s' is missing; it must be %s.", field->name, wanted(field, text));
}

bool lab_fields_check_body(const struct lab_field *fields, const json_t *body, struct lab_errors *errors)
{
    size_t count_before = errors->count;
    const char *name;
    json_t *value;
    char text[WANTED_SIZE], shown[SHOWN_SIZE];
    if (fields == lab_any_fields)
        return true;
    json_object_foreach((json_t *)body, name, value)
    {
        char pointer[LAB_POINTER_MAX] = "";
        lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
        if (lab_field_find(fields, name) == NULL)
            lab_errors_add(errors, "unknown-field", pointer, "Unknown field '%s'; %s.", printable(name, shown),
                           allowed(fields, text));
    }
    for (const struct lab_field *field = fields; field != NULL && field->name != NULL; field++)
        check_member(field, body, errors);
    return errors->count == count_before;
}
