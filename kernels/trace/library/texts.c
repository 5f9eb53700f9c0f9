#include "texts.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = sizeof((struct tracer_texts *)0)->items / sizeof((struct tracer_texts *)0)->items[0] };

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash != 0 ? hash : 1;
}

/* Writes a text, a symbol of C++ as its name. */
static bool write_text(struct tracer_texts *texts, struct tracer_output *output, const char *text)
{
    int status;
    char *name = NULL;
    if (text[0] == '_' && text[1] == 'Z' && texts->demangler.demangle != NULL)
        name = texts->demangler.demangle(text, NULL, NULL, &status);
    bool written = tracer_output_add_text(output, LAB_TRACE_TYPE_NAME, name != NULL ? name : text);
    free(name);
    return written;
}

uint32_t tracer_text_number(struct tracer_texts *texts, struct tracer_output *output, const char *text)
{
    if (text == NULL)
        return 0;
    if (texts->count > TEXTS_MAX / 2) {
        memset(texts->items, 0, sizeof texts->items); /* no compound literal, because stacks of threads may be small */
        texts->count = 0;
    }
    uint64_t hash = hash_of(text);
    size_t at = hash % TEXTS_MAX;
    while (texts->items[at].hash != 0 && texts->items[at].hash != hash)
        at = (at + 1) % TEXTS_MAX;
    if (texts->items[at].hash == hash)
        return texts->items[at].number;
    if (!write_text(texts, output, text))
        return 0;
    texts->items[at].hash = hash;
    texts->items[at].number = ++texts->last;
    texts->count++;
    return texts->last;
}
