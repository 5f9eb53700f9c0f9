/* What depends on whether the output is a terminal: its width, and colours. */
#ifndef LAB_TERMINAL_H
#define LAB_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a colour means. */
enum lab_style {
    LAB_STYLE_PLAIN,
    LAB_STYLE_GOOD,    /* green */
    LAB_STYLE_BAD,     /* red */
    LAB_STYLE_DOUBTFUL /* yellow */
};

/* How many characters a line may have: SIZE_MAX, no limit, unless `out` is a terminal. On a terminal COLUMNS, if it is
 * a positive number, as for ps; else the terminal's width, or 80 where that is not known. */
size_t lab_terminal_width(FILE *out);

/* Whether `out` is a terminal that shows block characters: the locale of LC_ALL, LC_CTYPE or LANG has UTF-8. */
bool lab_terminal_has_blocks(FILE *out);

/* Prints the text in the style's colour if `out` is a terminal, unless the environment variable NO_COLOR is set
 * (https://no-color.org) or TERM is "dumb". */
void lab_print_styled(FILE *out, enum lab_style style, const char *text);

#endif
