#include "core/xml_text.h"

#include "core/text.h"

#include <stdbool.h>
#include <string.h>

/* Whether XML 1.0 cannot have the character: a control character but tab and line ends, U+FFFE, U+FFFF. */
static bool is_excluded(const char *text, size_t length)
{
    return length == 0 || ((unsigned char)*text < ' ' && strchr("\t\n\r", *text) == NULL) || *text == '\0' ||
           (length == 3 && memcmp(text, "\xEF\xBF", 2) == 0 && (unsigned char)text[2] >= 0xBE);
}

static const char *entity_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void lab_xml_write(FILE *out, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = lab_utf8_length(text + at, size - at);
        const char *entity = is_excluded(text + at, length) ? "\xEF\xBF\xBD" : entity_of(text[at]);
        length = length > 0 ? length : 1;
        if (entity != NULL)
            fputs(entity, out);
        else
            fwrite(text + at, 1, length, out);
        at += length;
    }
}
