/* The options that describe an own kernel, and the member "kernel" of the body of POST /runs that they make. */
#ifndef LAB_KERNEL_REQUEST_H
#define LAB_KERNEL_REQUEST_H

#include "build_request.h"
#include "lab/client.h"

#include <jansson.h>

struct lab_kernel_options {
    struct lab_texts arguments, variables;
    const char *entry, *grid, *block, *shared, *bytes, *operations; /* NULL: not given */
    const char *reference, *reference_file, *reference_grid, *reference_block, *reference_shared;
    const char *cluster, *check;
    bool cooperative;
    struct lab_texts expected; /* NAME=EXPRESSION or NAME=@FILE */
    struct lab_texts saved;    /* NAME=FILE */
    double tolerance;          /* initialised with -1: not given */
    bool sanitize;
    struct lab_build_value build[LAB_KERNEL_OPTIONS];
};

/* Fill a struct lab_kernel_options: all of it, and what a submission to a challenge has of it. */
extern const struct lab_option lab_kernel_options_table[], lab_submission_options_table[];

/* The member "kernel" of a request that measures a step of an experiment with an edited source, given as STEP=FILE.
 * A new reference; NULL with errors. */
json_t *lab_edit_request(const char *edit, const char *experiment, struct lab_errors *errors);

/* The member "kernel" of a request: the source is the first of the files, which can include the others. A new
 * reference; NULL with errors. */
json_t *lab_kernel_request(const struct lab_kernel_options *options, const struct lab_texts *files,
                           struct lab_errors *errors);

/* The body of a submission to a challenge, with the source of a file. A new reference; NULL with errors. */
json_t *lab_submission_request(const struct lab_kernel_options *options, const char *file, struct lab_errors *errors);

/* Writes the outputs that a finished run has saved to the files of the options. Returns false with errors. */
bool lab_kernel_saved_write(const struct lab_kernel_options *options, struct lab_client *client, const json_t *run,
                            struct lab_errors *errors);

/* The member "compare_with" of a request that compares `kernel` with the kernel of another file. A new reference; NULL
 * with errors. */
json_t *lab_kernel_base(json_t *kernel, const struct lab_texts *files, struct lab_errors *errors);

#endif
