/* The formulas of explanations, a small part of TeX's notation (kernels/experiments/README.md, "Explanations"), as text
 * in one line. */
#ifndef LAB_FORMULA_H
#define LAB_FORMULA_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the formula of `length` bytes: "(2 n^3)/t" of "\frac{2 n^3}{t}". Prints nothing and returns false where a
 * command is not known, braces or arguments are missing, or it is nested too deeply. */
bool lab_print_formula(FILE *out, const char *formula, size_t length);

#endif
