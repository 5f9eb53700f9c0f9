/* Adds the result file of another tool to the store, as one run: its experiment has the name of the file's format. */
#ifndef LAB_IMPORT_FILE_H
#define LAB_IMPORT_FILE_H

#include "import_run.h"

#include "formats/formats.h"

#include <stdio.h>

/* What is known of a file beside its content. NULL or LAB_NO_TIME: what the file says, if it does. */
struct lab_import_origin {
    const struct lab_result_format *format;
    const char *host, *device, *requested_by;
    int64_t at;
};

/* Reads the file and stores its run, unless the lab has the run of the same content already. Returns LAB_STORE_OK with
 * the answer in *answer, a new reference, {imported, completed, skipped, errors, runs}; or NULL with the reasons for
 * which the file is refused in `errors`. Another result is a failure of the store. `unreadable` is why reading `file`
 * fails, when it does. */
enum lab_store_result lab_import_file(struct lab_store *store, FILE *file, const struct lab_error *unreadable,
                                      const struct lab_import_origin *origin, json_t **answer,
                                      struct lab_errors *errors);

#endif
