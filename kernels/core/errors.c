/* Fills struct lab_error and appends to the bounded list. */
#include "core/errors.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 4, 0))) static void fill(struct lab_error *error, enum lab_error_code code,
                                                       const char *pointer, const char *format, va_list arguments)
{
    error->code = code;
    /* Text may be cut inside a character, here and by a "%.60s" in `format`. */
    snprintf(error->pointer, sizeof error->pointer, "%s", pointer != NULL ? pointer : "");
    lab_utf8_drop_invalid(error->pointer);
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    lab_utf8_drop_invalid(error->detail);
}

bool lab_error_set(struct lab_error *error, enum lab_error_code code, const char *pointer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, code, pointer, format, arguments);
    va_end(arguments);
    return false;
}

bool lab_errors_add(struct lab_errors *errors, enum lab_error_code code, const char *pointer, const char *format, ...)
{
    struct lab_error error;
    va_list arguments;
    va_start(arguments, format);
    fill(&error, code, pointer, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < errors->count; i++)
        if (errors->items[i].code == code && strcmp(errors->items[i].pointer, error.pointer) == 0 &&
            strcmp(errors->items[i].detail, error.detail) == 0)
            return false;
    if (errors->count < LAB_ERRORS_MAX)
        errors->items[errors->count++] = error;
    else
        errors->dropped++;
    return false;
}

void lab_errors_append(struct lab_errors *errors, const struct lab_errors *from, const char *prefix)
{
    for (size_t i = 0; i < from->count; i++) {
        char pointer[2 * LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "%s%s", prefix, from->items[i].pointer);
        lab_errors_add(errors, from->items[i].code, pointer, "%s", from->items[i].detail);
    }
    errors->dropped += from->dropped;
}
