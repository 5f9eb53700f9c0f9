/* Texts of pictures in SVG. */
#ifndef LAB_SVG_TEXT_H
#define LAB_SVG_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes at most `most` characters of a text, in which nothing is markup; a longer one ends with an ellipsis. */
void lab_svg_write_cut(FILE *out, const char *text, size_t most);

/* Writes such a text as an element at (x, y) in px. `anchor`: "start", "middle" or "end". */
void lab_svg_write_text(FILE *out, double x, double y, const char *anchor, const char *text, size_t most);

#endif
