/* The bounded error list. */
#include "core/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 sequence at `text`; 0 when it is none. Overlong forms and surrogates are left to the JSON writer. */
static size_t sequence_length(const unsigned char *text)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : text[0] >= 0xC2 ? 2 : 0;
    if (text[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0U) != 0x80U)
            return 0;
    return length;
}

/* Formats cut what they quote at some byte, and vsnprintf the whole; half a character left of it would make the document
 * that carries it invalid. */
static void drop_partial_characters(char *text)
{
    char *end = text;
    while (*text != '\0') {
        size_t length = sequence_length((const unsigned char *)text);
        if (length == 0) {
            text++;
            continue;
        }
        memmove(end, text, length);
        end += length;
        text += length;
    }
    *end = '\0';
}

__attribute__((format(printf, 4, 0))) static void fill(struct lab_error *error, const char *code, const char *pointer,
                                                       const char *format, va_list arguments)
{
    error->code = code;
    snprintf(error->pointer, sizeof error->pointer, "%s", pointer != NULL ? pointer : "");
    drop_partial_characters(error->pointer);
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    drop_partial_characters(error->detail);
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
