/* The canonical form of a point's axes: members sorted by name, so that equal points are equal texts. */
#include "store_internal.h"

#include <stdlib.h>
#include <string.h>

/* A member of the object: its name with quotation marks, and all of it up to the comma. */
struct member {
    const char *text;
    size_t name_length, length;
};

/* Returns a copy of `json` without white space outside strings. */
static char *compact(const char *json)
{
    char *copy = malloc(strlen(json) + 1), *end = copy;
    bool in_string = false;
    if (copy == NULL)
        return NULL;
    for (; *json != '\0'; json++) {
        if (*json == '"')
            in_string = !in_string;
        if (in_string && *json == '\\' && json[1] != '\0')
            *end++ = *json++;
        if (in_string || strchr(" \t\r\n", *json) == NULL)
            *end++ = *json;
    }
    *end = '\0';
    return copy;
}

/* Returns the length of the string at `text`, with its quotation marks. */
static size_t string_length(const char *text)
{
    size_t length = 1;
    while (text[length] != '\0' && text[length] != '"')
        length += text[length] == '\\' && text[length + 1] != '\0' ? 2 : 1;
    return length + (text[length] == '"');
}

/* Returns the length of the member at `text`: up to the comma or bracket that ends it. */
static size_t member_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] != '\0';) {
        char character = text[length];
        if (depth == 0 && (character == ',' || character == '}'))
            break;
        depth += (character == '{' || character == '[') - (character == '}' || character == ']');
        length += character == '"' ? string_length(text + length) : 1;
    }
    return length;
}

static int by_name(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    size_t shorter = a->name_length < b->name_length ? a->name_length : b->name_length;
    int order = strncmp(a->text, b->text, shorter);
    return order != 0 ? order : (a->name_length > b->name_length) - (a->name_length < b->name_length);
}

/* Splits the object at `json`, which has no white space. Returns the number of members; `members` holds one for each
 * comma and one more. */
static size_t split(const char *json, struct member *members)
{
    size_t count = 0;
    for (const char *at = json + 1; *at == '"';) {
        struct member *member = &members[count++];
        *member = (struct member){at, string_length(at), member_length(at)};
        at += member->length;
        at += *at == ',';
    }
    return count;
}

static void join(char *out, const struct member *members, size_t count)
{
    *out++ = '{';
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *out++ = ',';
        memcpy(out, members[i].text, members[i].length);
        out += members[i].length;
    }
    *out++ = '}';
    *out = '\0';
}

char *lab_canonical_axes(const char *axes)
{
    char *json = compact(axes);
    if (json == NULL || json[0] != '{')
        return json;
    size_t capacity = 1;
    for (const char *at = json; *at != '\0'; at++)
        capacity += *at == ',';
    struct member *members = calloc(capacity, sizeof *members);
    char *canonical = members != NULL ? malloc(strlen(json) + 3) : NULL;
    if (canonical != NULL) {
        size_t count = split(json, members);
        qsort(members, count, sizeof *members, by_name);
        join(canonical, members, count);
    }
    free(members);
    free(json);
    return canonical;
}
