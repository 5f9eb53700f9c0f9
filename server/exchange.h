/* A program that reads one request from standard input, writes one answer to standard output, and exits. */
#ifndef LAB_EXCHANGE_H
#define LAB_EXCHANGE_H

#include "process.h"

#include <stdatomic.h>
#include <stddef.h>

enum { LAB_ERROR_OUTPUT_MAX = 1024 };

enum lab_exchange_end {
    LAB_EXCHANGE_ENDED,     /* the program ended */
    LAB_EXCHANGE_TIMED_OUT, /* it was ended at the time limit; the rest: it was ended because */
    LAB_EXCHANGE_TOO_LONG,  /* its answer was longer than answer_max, or memory ran out */
    LAB_EXCHANGE_CANCELLED, /* *cancel became true */
    LAB_EXCHANGE_RUNNING    /* not after lab_exchange_run */
};

struct lab_exchange {
    struct lab_process process; /* reaped */
    enum lab_exchange_end end;
    char *answer; /* NUL-terminated, or NULL for none; the caller frees it */
    size_t answer_length, answer_capacity;
    char errors[LAB_ERROR_OUTPUT_MAX]; /* the beginning of what it wrote to standard error */
};

/* Nothing is copied. */
struct lab_exchange_call {
    const char *path;       /* of the program; a name without a slash is looked up in PATH */
    char *const *arguments; /* path first, ends with NULL */
    const char *request;
    size_t request_size;
    atomic_size_t *sent;       /* receives how many bytes of the request the program has taken so far; NULL: none */
    size_t answer_max;         /* bytes, at least 64 KiB */
    double time_limit_s;       /* then it is ended: SIGTERM, a second later SIGKILL */
    const atomic_bool *cancel; /* likewise soon after this became true; NULL: never */
};

/* Starts the program, passes the request to it, and waits until it has ended. Returns 0, or the errno value that says
 * why it cannot be started. */
int lab_exchange_run(struct lab_exchange *exchange, const struct lab_exchange_call *call);

#endif
