/* Explanations of experiments and steps, which are Markdown of a small subset (kernels/experiments/README.md,
 * "Explanations"), as text. */
#ifndef LAB_PROSE_H
#define LAB_PROSE_H

#include <stdio.h>

/* Prints the explanation, wrapped at `width` characters, and an empty line after each of its parts. Tables have aligned
 * columns, code and formulas in lines of their own are indented; marks of code and emphasis are left out, and an
 * address stands behind the text that links to it. What is not of the subset is printed as it is. */
void lab_print_prose(FILE *out, const char *text, size_t width);

#endif
