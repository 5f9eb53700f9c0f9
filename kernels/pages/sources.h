/* The sources of an experiment's steps, which the page shows: compiled from markers in the files of its folder into the
 * table lab_NAME_sources. README.md has the markers.
 */
#ifndef LAB_PAGE_SOURCES_H
#define LAB_PAGE_SOURCES_H

#include "pages/source_file.h"

struct lab_page_sources;

/* Reads the files of a folder, "kernels/experiments/memory/stream". The files of which sources consist become shown. */
struct lab_page_sources *lab_page_sources_read(struct lab_source_files *files, const char *folder);

/* Writes the table of the experiment `name`, a name in C. */
void lab_page_sources_write(const struct lab_page_sources *sources, const char *name, FILE *out);

#endif
