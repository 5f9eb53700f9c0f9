/* Reads the macros of an own kernel. */
#include "descriptor/macros.h"

#include "core/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lab_macro_is_list(const char *define)
{
    const char *value = strchr(define, '=');
    return value != NULL && strchr(value, ',') != NULL;
}

/* Whether a value is an integer as JSON and C have it, "010" is none, and sets *integer. */
static bool is_integer(const char *value, size_t length, json_int_t *integer)
{
    size_t sign = length > 0 && value[0] == '-', digits = 0;
    while (sign + digits < length && isdigit((unsigned char)value[sign + digits]))
        digits++;
    if (digits == 0 || sign + digits < length || digits > 16 || (digits > 1 && value[sign] == '0'))
        return false;
    *integer = strtoll(value, NULL, 10);
    return *integer >= -(json_int_t)LAB_INTEGER_MAX && *integer <= (json_int_t)LAB_INTEGER_MAX;
}

/* The values between commas as a list of texts or, if each is one, of integers. */
static json_t *split(const char *text)
{
    json_t *texts = json_array(), *integers = json_array();
    while (true) {
        size_t length = strcspn(text, ",");
        json_int_t integer;
        json_array_append_new(texts, json_stringn(text, length));
        if (is_integer(text, length, &integer))
            json_array_append_new(integers, json_integer(integer));
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    bool all = json_array_size(texts) == json_array_size(integers);
    json_decref(all ? texts : integers);
    return all ? integers : texts;
}

json_t *lab_macro_values(const char *define, char name[LAB_OWN_NAME_MAX + 1])
{
    size_t length = strcspn(define, "=");
    snprintf(name, LAB_OWN_NAME_MAX + 1, "%.*s", (int)length, define);
    if (define[length] == '\0' || length > LAB_OWN_NAME_MAX || !lab_own_name_is_valid(name))
        return NULL;
    json_t *values = split(define + length + 1);
    if (json_array_size(values) > 1 || json_is_integer(json_array_get(values, 0)))
        return values;
    json_decref(values);
    return NULL;
}

/* "NAME=VALUE" of a macro, a new reference. */
static json_t *make_define(const char *name, const json_t *value)
{
    return json_is_integer(value) ? json_sprintf("%s=%" JSON_INTEGER_FORMAT, name, json_integer_value(value))
                                  : json_sprintf("%s=%s", name, json_string_value(value));
}

json_t *lab_macros_choose(const json_t *options, const json_t *chosen)
{
    json_t *define, *defines = json_array(), *result = options != NULL ? json_copy((json_t *)options) : json_object();
    size_t index;
    json_array_foreach(json_object_get(options, "defines"), index, define)
    {
        char name[LAB_OWN_NAME_MAX + 1];
        json_t *values = lab_macro_values(json_string_value(define), name);
        const json_t *value = json_object_get(chosen, name);
        if (values == NULL)
            json_array_append(defines, define);
        else
            json_array_append_new(defines, make_define(name, value != NULL ? value : json_array_get(values, 0)));
        json_decref(values);
    }
    if (json_array_size(defines) > 0)
        json_object_set(result, "defines", defines);
    json_decref(defines);
    return result;
}

/* The combinations, each with each value of one more macro; takes over `combinations`. */
static json_t *multiply(json_t *combinations, const char *name, const json_t *values)
{
    json_t *combination, *value, *result = json_array();
    size_t index, number;
    json_array_foreach(combinations, index, combination)
    {
        json_array_foreach(values, number, value)
        {
            json_t *copy = json_copy(combination);
            json_object_set(copy, name, value);
            json_array_append_new(result, copy);
        }
    }
    json_decref(combinations);
    return result;
}

json_t *lab_macros_combine(const json_t *options, const json_t *parameters)
{
    json_t *define, *combinations = json_pack("[{}]");
    size_t index;
    json_array_foreach(json_object_get(options, "defines"), index, define)
    {
        char name[LAB_OWN_NAME_MAX + 1];
        json_t *values = lab_macro_values(json_string_value(define), name);
        if (values != NULL)
            combinations = multiply(combinations, name, json_object_get(parameters, name));
        json_decref(values);
    }
    return combinations;
}
