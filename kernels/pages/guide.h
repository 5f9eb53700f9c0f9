/* The tables of descriptor/guide.h, made of the files in kernels/guide. */
#ifndef LAB_PAGES_GUIDE_H
#define LAB_PAGES_GUIDE_H

#include "pages/source_file.h"

/* Writes the row of a page: "# TITLE", an empty line, the summary in one paragraph, an empty line, the text. Ends the
 * program that calls it with a message where the file has another form. */
void lab_guide_page_write(const struct lab_source_file *file, FILE *out);

/* Writes the rows of the terms: a list of objects whose members are those of struct lab_term, all texts but `also`, a
 * list of texts. Ends the program that calls it with a message where the file has another form, or the terms are not in
 * the order of their names. */
void lab_terms_write(const struct lab_source_file *file, FILE *out);

/* Writes the text of the published devices. Ends the program that calls it with a message where it is no JSON. */
void lab_cards_write(const struct lab_source_file *file, FILE *out);

#endif
