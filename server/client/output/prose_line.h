/* The text of one block of an explanation: a paragraph, an item of a list or a cell of a table. */
#ifndef LAB_PROSE_LINE_H
#define LAB_PROSE_LINE_H

/* A copy without marks, with formulas as text; the caller frees it. NULL when out of memory. */
char *lab_prose_line(const char *text);

#endif
