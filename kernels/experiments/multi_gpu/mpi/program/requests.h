/* The requests that rank 0 reads and passes on to all ranks, and its answers: JSON lines, which
 * experiments/multi_gpu/mpi/ranks.h defines.
 */
#ifndef GPULAB_MPI_REQUESTS_H
#define GPULAB_MPI_REQUESTS_H

#include "core/lines.h"
#include "exchange.h"

enum request_kind { REQUEST_END, REQUEST_PREPARE, REQUEST_SAMPLE, REQUEST_POISON, REQUEST_VERIFY };

/* A request, as bytes that are the same on all ranks. */
struct request {
    enum request_kind kind;
    struct exchange_point point;
    uint64_t repetitions;
};

/* Input and output of rank 0; not used on others. */
struct requests {
    struct lab_line_reader reader;
    int output;
};

/* Keeps standard output for answers: what libraries print goes to standard error. Returns false with errno set. */
bool requests_open(struct requests *requests);
void requests_close(struct requests *requests);

/* Waits for the next request, on all ranks; REQUEST_END at the end of the input, and for what is not a request. The
 * wait uses no CPU time on rank 0 and little on others, so that ranks which wait do not disturb what else is
 * measured. */
struct request requests_next(struct requests *requests, const struct rank *rank);

/* Writes the answer on rank 0; does nothing on others. Takes over `answer`. */
void requests_answer(const struct requests *requests, const struct rank *rank, json_t *answer);

/* Whether the request has succeeded on all ranks; `good`: on this one. If it has not, *error becomes that of the first
 * rank on which it failed. All ranks call it. */
bool requests_agree(const struct rank *rank, bool good, struct lab_error *error);

/* The line about all ranks with which the output begins. All ranks call it; a new reference on rank 0, NULL on
 * others. */
json_t *requests_greeting(const struct rank *rank);

#endif
