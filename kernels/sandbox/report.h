/* What gpulab-sandbox tells the process that started it: messages on a pair of sockets that keeps their bounds. Its
 * other end closed for writing, or altogether, means: end the program. */
#ifndef LAB_SANDBOX_REPORT_H
#define LAB_SANDBOX_REPORT_H

#include "sandbox.h"

#include <stdint.h>

/* Descriptors of gpulab-sandbox beside the standard ones. The program gets LAB_SANDBOX_PASSED and those that
 * follow, where some are kept, as LAB_SANDBOX_KEPT and so on. */
enum { LAB_SANDBOX_CONTROL = 3, LAB_SANDBOX_PASSED = 4 };

enum lab_sandbox_stage { LAB_SANDBOX_STARTED, LAB_SANDBOX_REFUSED, LAB_SANDBOX_ENDED };

struct lab_sandbox_report {
    enum lab_sandbox_stage stage;
    char detail[LAB_SANDBOX_DETAIL_MAX]; /* REFUSED: why the program is not started */
    /* ENDED: */
    enum lab_sandbox_end end;
    int status; /* of waitpid */
    unsigned left_behind, not_killed;
    uint64_t wall_ns, processor_us, memory_bytes;
};

#endif
