/* The bounded error list. */
#include "errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* vsnprintf can cut a UTF-8 sequence in half; what is left of it would make the whole document invalid. */
static void drop_partial_character(char *text)
{
    size_t end = strlen(text);
    size_t lead = end;
    while (lead > 0 && ((unsigned char)text[lead - 1] & 0xC0U) == 0x80U)
        lead--;
    if (lead == 0)
        return;
    unsigned char first = (unsigned char)text[lead - 1];
    size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (lead - 1 + length > end)
        text[lead - 1] = '\0';
}

__attribute__((format(printf, 4, 0))) static void fill(struct lab_error *error, const char *code, const char *pointer,
                                                       const char *format, va_list arguments)
{
    error->code = code;
    snprintf(error->pointer, sizeof error->pointer, "%s", pointer != NULL ? pointer : "");
    drop_partial_character(error->pointer);
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    drop_partial_character(error->detail);
}

bool lab_error_set(struct lab_error *error, const char *code, const char *pointer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, code, pointer, format, arguments);
    va_end(arguments);
    return false;
}

bool lab_errors_add(struct lab_errors *errors, const char *code, const char *pointer, const char *format, ...)
{
    if (errors->count == LAB_ERRORS_MAX) {
        errors->dropped++;
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    fill(&errors->items[errors->count++], code, pointer, format, arguments);
    va_end(arguments);
    return false;
}
