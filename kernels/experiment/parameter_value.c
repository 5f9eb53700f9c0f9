/* Checks one value of a parameter: its type, its bounds, its choices. */
#include "experiment/parameter_value.h"

#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_SIZE = 72 }; /* of a value in a message */

const char *lab_json_kind(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

/* Writes a value as it was given, a real number with as many digits as it needs; of an object or a list only its kind. */
static const char *describe(const json_t *value, char text[SHOWN_SIZE])
{
    double number = json_number_value(value);
    if (json_is_string(value))
        snprintf(text, SHOWN_SIZE, "\"%.60s\"", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, SHOWN_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value) && snprintf(text, SHOWN_SIZE, "%.15g", number) > 0 && strtod(text, NULL) != number)
        snprintf(text, SHOWN_SIZE, "%.17g", number);
    else if (!json_is_real(value))
        snprintf(text, SHOWN_SIZE, "%s", lab_json_kind(value));
    return text;
}

static bool wrong_type(const struct lab_parameter_location *location, const char *wanted, const json_t *value)
{
    char given[SHOWN_SIZE];
    return lab_errors_add(location->errors, LAB_ERROR_WRONG_TYPE, location->pointer, "%s must be %s, not %s",
                          location->parameter->name, wanted, describe(value, given));
}

static bool within_bounds(const struct lab_parameter_location *location, double number, const json_t *value)
{
    const struct lab_parameter *p = location->parameter;
    char given[SHOWN_SIZE];
    if (number >= p->minimum && number <= p->maximum)
        return true;
    const char *unit = p->unit != NULL && strcmp(p->unit, "1") != 0 ? p->unit : "";
    return lab_errors_add(location->errors, LAB_ERROR_OUT_OF_BOUNDS, location->pointer,
                          "%s must be from %.16g to %.16g%s%s, not %s", p->name, p->minimum, p->maximum,
                          unit[0] != '\0' ? " " : "", unit, describe(value, given));
}

static bool no_number(const struct lab_parameter_location *location, const json_t *value)
{
    const struct lab_parameter *p = location->parameter;
    char wanted[LAB_DETAIL_MAX / 4] = "a whole number or a size (" LAB_SIZE_EXAMPLES ")";
    if (p->type == LAB_PARAMETER_NUMBER)
        snprintf(wanted, sizeof wanted, "a number from %.16g to %.16g", p->minimum, p->maximum);
    return wrong_type(location, wanted, value);
}

/* An integer may be given as the text of a size. */
static bool check_number(const struct lab_parameter_location *location, const json_t *value, struct lab_value *result)
{
    bool whole = location->parameter->type == LAB_PARAMETER_INTEGER;
    double number = json_number_value(value);
    bool is_size = whole && json_is_string(value) && lab_size_parse(json_string_value(value), &number);
    if (!json_is_number(value) && !is_size)
        return no_number(location, value);
    if (whole && number != floor(number))
        return wrong_type(location, "a whole number", value);
    if (!within_bounds(location, number, value))
        return false;
    result->number = number;
    result->integer = whole ? (int64_t)number : 0;
    return true;
}

/* Writes "a, b or c"; text that does not fit is cut off. */
static void join_choices(const char *const *choices, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; choices[i] != NULL && used < size; i++) {
        const char *separator = i == 0 ? "" : choices[i + 1] == NULL ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, choices[i]);
    }
}

static bool check_choice(const struct lab_parameter_location *location, const json_t *value, struct lab_value *result)
{
    const struct lab_parameter *p = location->parameter;
    if (!json_is_string(value))
        return wrong_type(location, "a string", value);
    for (size_t i = 0; p->choices[i] != NULL; i++)
        if (strcmp(p->choices[i], json_string_value(value)) == 0) {
            result->integer = (int64_t)i;
            return true;
        }
    char allowed[LAB_DETAIL_MAX / 2];
    join_choices(p->choices, allowed, sizeof allowed);
    return lab_errors_add(location->errors, LAB_ERROR_NOT_A_CHOICE, location->pointer, "%s must be %s, not \"%.60s\"",
                          p->name, allowed, json_string_value(value));
}

bool lab_parameter_check_value(const struct lab_parameter_location *location, const json_t *value,
                               struct lab_value *result)
{
    *result = (struct lab_value){0};
    switch (location->parameter->type) {
    case LAB_PARAMETER_INTEGER:
    case LAB_PARAMETER_NUMBER:
        return check_number(location, value, result);
    case LAB_PARAMETER_CHOICE:
        return check_choice(location, value, result);
    case LAB_PARAMETER_BOOLEAN:
        break;
    }
    if (!json_is_boolean(value))
        return wrong_type(location, "true or false", value);
    result->integer = json_is_true(value);
    return true;
}
