/* The distance is the "optimal string alignment" variant of Damerau and Levenshtein's. */
#include "core/suggestion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The distance of two texts of at most LAB_SUGGESTION_NAME_MAX bytes. */
static size_t distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t table[LAB_SUGGESTION_NAME_MAX + 1][LAB_SUGGESTION_NAME_MAX + 1];
    for (size_t i = 0; i <= a_length; i++)
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            size_t one_more = smaller(table[i - 1][j], table[i][j - 1]) + 1;
            table[i][j] = smaller(one_more, table[i - 1][j - 1] + !is_same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
                table[i][j] = smaller(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[a_length][b_length];
}

void lab_suggestion_consider(struct lab_suggestion *suggestion, const char *name)
{
    size_t length = strlen(name);
    if (length > LAB_SUGGESTION_NAME_MAX || suggestion->length > LAB_SUGGESTION_NAME_MAX)
        return;
    size_t distance = distance_of(suggestion->given, suggestion->length, name, length);
    bool is_near = 3 * distance <= suggestion->length;
    if (!is_near || (suggestion->name != NULL && distance >= suggestion->distance))
        return;
    suggestion->name = name;
    suggestion->distance = distance;
}

const char *lab_suggestion_text(const struct lab_suggestion *suggestion, char text[LAB_SUGGESTION_SIZE])
{
    text[0] = '\0';
    if (suggestion->name != NULL)
        snprintf(text, LAB_SUGGESTION_SIZE, " Did you mean '%s'?", suggestion->name);
    return text;
}
