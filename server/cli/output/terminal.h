/* What depends on whether the output is a terminal: its width, and colours. */
#ifndef LAB_TERMINAL_H
#define LAB_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* What a colour means. */
enum lab_style {
    LAB_STYLE_PLAIN,
    LAB_STYLE_GOOD,    /* green */
    LAB_STYLE_BAD,     /* red */
    LAB_STYLE_DOUBTFUL /* yellow */
};

/* The columns of the terminal that `out` is; 80 if it is none. */
size_t lab_terminal_width(FILE *out);

/* Prints the text in the style's colour if `out` is a terminal, unless the environment variable NO_COLOR is set
 * (https://no-color.org) or TERM is "dumb". */
void lab_print_styled(FILE *out, enum lab_style style, const char *text);

#endif
