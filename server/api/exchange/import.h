/* Adds the runs of a text to the store. */
#ifndef LAB_IMPORT_H
#define LAB_IMPORT_H

#include "import_run.h"
#include "import_text.h"

/* Reads the text and stores its runs, each whole or not at all. Returns LAB_STORE_OK with the answer in *answer, a new
 * reference: {imported, completed, skipped, errors}; NULL when out of memory. Another result is a failure of the store,
 * in which runs that came before may have been added. `unreadable` is why reading `file` fails, when it does. */
enum lab_store_result lab_import(struct lab_store *store, FILE *file, const struct lab_error *unreadable,
                                 json_t **answer);

#endif
