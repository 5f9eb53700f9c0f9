/* Lines of the files that sources are made of; shared by source.c and source_unit.c. */
#ifndef LAB_SOURCE_LINES_H
#define LAB_SOURCE_LINES_H

#include "descriptor/experiment.h"

/* The text of a file that is compiled into the program; NULL if there is none with this path. */
const char *lab_shown_text(const char *path);

/* Whether a line begins with the words "// WORD NAME", or "// WORD" if `name` is NULL. */
bool lab_line_marks(const char *line, size_t length, const char *word, const char *name);

/* The line after a marker, and after the explanation that follows it if it has a title. An empty line behind a step
 * belongs to it. */
const char *lab_line_after_explanation(const char *line);

/* The file of one of the source's parts, if the line includes it; else NULL. */
const char *lab_line_includes(const char *line, size_t length, const struct lab_source *source);

#endif
