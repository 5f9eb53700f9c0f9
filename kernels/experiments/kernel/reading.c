#include "reading.h"

#include "core/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kernel_refuse(const struct kernel_reading *r, const char *path, const char *name, enum lab_error_code code,
                   const char *detail)
{
    char pointer[LAB_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "/kernel%s%s%s", path, name[0] != '\0' ? "/" : "", name);
    return lab_errors_add(r->errors, code, pointer, "%s", detail);
}

bool kernel_read_expression(const struct kernel_reading *r, const json_t *value, const char *path, const char *name,
                            bool whole, struct kernel_expression *expression)
{
    struct lab_error error;
    snprintf(expression->pointer, sizeof expression->pointer, "/kernel%s/%s", path, name);
    if (value == NULL)
        return true;
    expression->given = true;
    expression->arithmetic = whole && r->version > LAB_EXPRESSIONS_REAL ? LAB_ARITHMETIC_INTEGER : LAB_ARITHMETIC_REAL;
    if (json_is_number(value)) {
        expression->parsed = lab_expression_of(json_number_value(value));
        return true;
    }
    if (!json_is_string(value)) /* a list, or one of several sizes */
        return kernel_refuse(r, path, name, LAB_ERROR_WRONG_TYPE, "Must be a number or an expression.");
    expression->text = json_string_value(value);
    return lab_expression_parse(&expression->parsed, expression->text, r->names, &error) ||
           kernel_refuse(r, path, name, LAB_ERROR_BAD_EXPRESSION, error.detail);
}

bool kernel_read_sizes(const struct kernel_reading *r, const json_t *object, const char *path, const char *name,
                       struct kernel_expression sizes[3])
{
    const json_t *value = json_object_get(object, name);
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    if (value == NULL || count < 1 || count > 3)
        return kernel_refuse(r, path, name, value == NULL ? LAB_ERROR_MISSING : LAB_ERROR_OUT_OF_BOUNDS,
                             "Must be a size, or a list of one to three: numbers or expressions of the axes.");
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        char item[16];
        snprintf(item, sizeof item, json_is_array(value) ? "%s/%zu" : "%s", name, i);
        good = kernel_read_expression(r, json_is_array(value) ? json_array_get(value, i) : value, path, item, true,
                                      &sizes[i]) &&
               good;
    }
    return good;
}

bool kernel_refuse_members(const struct kernel_reading *r, const json_t *object, const char *path,
                           const char *const *names, const char *detail)
{
    bool good = true;
    for (; *names != NULL; names++)
        if (json_object_get(object, *names) != NULL)
            good = kernel_refuse(r, path, *names, LAB_ERROR_UNKNOWN_FIELD, detail);
    return good;
}

bool kernel_is_number(const struct kernel_reading *r, const json_t *value, double *number)
{
    *number = json_number_value(value);
    return json_is_integer(value) ||
           (r->version > LAB_EXPRESSIONS_REAL &&
            (json_is_real(value) || (json_is_string(value) && lab_size_parse(json_string_value(value), number))));
}

bool kernel_is_literal(const json_t *argument, uint64_t *bits)
{
    const json_t *value = json_object_get(argument, "value");
    const char *type = json_string_value(json_object_get(argument, "type")), *text = json_string_value(value);
    bool is_signed = type != NULL && strcmp(type, "i64") == 0;
    char *end = NULL;
    if (type == NULL || (!is_signed && strcmp(type, "u64") != 0))
        return false;
    if (json_is_integer(value)) {
        *bits = (uint64_t)json_integer_value(value);
        return fabs((double)json_integer_value(value)) > LAB_INTEGER_MAX &&
               (is_signed || json_integer_value(value) > 0);
    }
    if (text == NULL || strspn(text + (is_signed && text[0] == '-'), "0123456789") < 16)
        return false;
    errno = 0;
    *bits = is_signed ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

bool kernel_is_axis(const struct kernel_reading *r, const json_t *argument)
{
    double number;
    const json_t *value = json_object_get(argument, "value");
    const char *kind = json_string_value(json_object_get(argument, "kind"));
    const char *type = json_string_value(json_object_get(argument, "type"));
    uint64_t literal;
    if (kind == NULL || strcmp(kind, "scalar") != 0 || kernel_is_literal(argument, &literal))
        return false;
    bool is_integer = type != NULL && (type[0] == 'i' || type[0] == 'u');
    return json_is_array(value) || json_is_integer(value) || (is_integer && kernel_is_number(r, value, &number));
}
