/* Private to compiler/: gpulab-compiler as a process, a few at a time, with the limits of the options. */
#ifndef LAB_COMPILER_PROGRAM_H
#define LAB_COMPILER_PROGRAM_H

#include "compiler.h"
#include "exchange.h"

#include <semaphore.h>

struct lab_compiler {
    struct lab_compiler_options options;
    sem_t turns; /* of the processes that may run */
    atomic_bool stopping;
};

/* Waits for its turn, and runs the program with `mode`, one more option (NULL: none), and what `call` says of request
 * and answer; the other members of `call` are set here. Returns 0, or the errno value that says why it cannot be
 * started. */
int lab_compiler_run(struct lab_compiler *compiler, const char *mode, const struct lab_exchange_call *call,
                     struct lab_exchange *exchange);

#endif
