/* A parser of server-sent events. */
#include "sse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool append(struct lab_sse *sse, const char *bytes, size_t count)
{
    if (sse->capacity - sse->length <= count) {
        size_t capacity = (sse->length + count + 1) * 2;
        char *larger = realloc(sse->text, capacity);
        if (larger == NULL)
            return false;
        sse->text = larger;
        sse->capacity = capacity;
    }
    memcpy(sse->text + sse->length, bytes, count);
    sse->length += count;
    sse->text[sse->length] = '\0';
    return true;
}

/* The value of a line "name: value"; NULL for a line with another name. */
static char *value_of(char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0 || line[length] != ':')
        return NULL;
    line += length + 1;
    return *line == ' ' ? line + 1 : line;
}

/* Parses the lines of one event, in place. Several data lines are joined by newlines. */
static void parse_event(struct lab_sse *sse, char *block)
{
    char empty[] = "", *type = NULL, *data = NULL, *data_end = NULL, *rest = block;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *value;
        if ((value = value_of(line, "event")) != NULL) {
            type = value;
        } else if ((value = value_of(line, "id")) != NULL) {
            snprintf(sse->last_id, sizeof sse->last_id, "%s", value);
        } else if ((value = value_of(line, "data")) != NULL) {
            size_t length = strlen(value);
            if (data == NULL) {
                data = value;
                data_end = value + length;
            } else {
                *data_end++ = '\n';
                memmove(data_end, value, length + 1);
                data_end += length;
            }
        }
    }
    if (type != NULL)
        sse->event(sse->context, type, data != NULL ? data : empty);
}

bool lab_sse_feed(struct lab_sse *sse, const char *bytes, size_t count)
{
    if (!append(sse, bytes, count))
        return false;
    char *start = sse->text, *end;
    while ((end = strstr(start, "\n\n")) != NULL) {
        *end = '\0';
        parse_event(sse, start);
        start = end + 2;
    }
    sse->length -= (size_t)(start - sse->text);
    memmove(sse->text, start, sse->length + 1);
    return true;
}

void lab_sse_restart(struct lab_sse *sse)
{
    sse->length = 0;
}

void lab_sse_release(struct lab_sse *sse)
{
    free(sse->text);
    sse->text = NULL;
    sse->length = sse->capacity = 0;
}
