/* Takes the marks out of a text of an explanation. */
#include "prose_line.h"

#include "formula.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 500 }; /* longer code, formulas and links are text, as on the page */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The length of what begins with `text` up to the character `end`; 0 if it does not follow soon. */
static size_t length_up_to(const char *text, char end)
{
    size_t length = strnlen(text, PIECE_MAX + 1);
    const char *found = memchr(text, end, length);
    return found != NULL ? (size_t)(found - text) : 0;
}

/* Each of these prints the piece that begins at `text` and returns its length; 0: there is none. */

static size_t print_code(FILE *out, const char *text)
{
    size_t length = length_up_to(text + 1, '`');
    fwrite(text + 1, 1, length, out);
    return length > 0 ? length + 2 : 0;
}

static size_t print_formula(FILE *out, const char *text)
{
    size_t length = length_up_to(text + 1, '$');
    const char *first = text + 1, *last = text + length;
    if (length == 0 || isspace((unsigned char)*first) || isspace((unsigned char)*last) || *last == '\\' ||
        isdigit((unsigned char)last[2]))
        return 0;
    if (!lab_print_formula(out, first, length))
        fwrite(text, 1, length + 2, out);
    return length + 2;
}

static size_t print_link(FILE *out, const char *text)
{
    size_t label = length_up_to(text + 1, ']');
    const char *target = text + 1 + label + 2; /* behind "](" */
    if (label == 0 || memchr(text + 1, '[', label) != NULL || target[-1] != '(')
        return 0;
    size_t length = length_up_to(target, ')');
    bool is_address = strncmp(target, "https://", 8) == 0, is_path = *target == '/' || *target == '#';
    if (length == 0 || strcspn(target, " \t\\(") < length || (!is_address && !is_path) || strncmp(target, "//", 2) == 0)
        return 0;
    char *inner = strndup(text + 1, label), *shown = inner != NULL ? lab_prose_line(inner) : NULL;
    fprintf(out, is_address ? "%s (%.*s)" : "%s", shown != NULL ? shown : "", (int)length, target);
    free(inner);
    free(shown);
    return label + 2 + 1 + length + 1;
}

/* Whether the mark of `length` at `text` is closed by the same mark at the end of a word. */
static bool is_closed(const char *text, size_t length)
{
    for (const char *c = text + length + 1; *c != '\0'; c++)
        if (*c == '*') {
            size_t run = strspn(c, "*");
            if (run == length && !isspace((unsigned char)c[-1]))
                return true;
            c += run - 1;
        }
    return false;
}

/* How many closing marks are expected: of "*" and of "**". */
struct expected {
    size_t counts[2];
};

/* Leaves out the mark of emphasis at `text`, or prints it where it is none. `before` is the character before it. */
static size_t take_mark(FILE *out, const char *text, char before, struct expected *expected)
{
    size_t length = text[1] == '*' ? 2 : 1, *open = &expected->counts[length - 1];
    char after = text[length];
    if (*open > 0 && !isspace((unsigned char)before))
        (*open)--;
    else if (!is_letter(before) && after != '\0' && after != '*' && !isspace((unsigned char)after) &&
             is_closed(text, length))
        (*open)++;
    else
        fwrite(text, 1, length, out);
    return length;
}

char *lab_prose_line(const char *text)
{
    char *shown = NULL;
    size_t size = 0;
    struct expected expected = {0};
    FILE *out = open_memstream(&shown, &size);
    if (out == NULL)
        return NULL;
    for (const char *at = text; *at != '\0';) {
        size_t taken = 0;
        if (*at == '\\' && ispunct((unsigned char)at[1])) {
            fputc(at[1], out);
            taken = 2;
        } else if (*at == '`')
            taken = print_code(out, at);
        else if (*at == '$')
            taken = print_formula(out, at);
        else if (*at == '[')
            taken = print_link(out, at);
        else if (*at == '*')
            taken = take_mark(out, at, at > text ? at[-1] : ' ', &expected);
        if (taken == 0) {
            fputc(*at, out);
            taken = 1;
        }
        at += taken;
    }
    return fclose(out) == 0 ? shown : (free(shown), NULL);
}
