/* The processes of a run on several machines. Process 0 measures; before each step it tells the others what to do, over
 * a communicator that joins the first device of each process. So all processes enqueue the same operations, although
 * only process 0 knows how many samples a point takes. Nothing is told within the timed part of a sample.
 *
 * A process that waits for one that is gone waits until the server ends it.
 */
#ifndef LAB_COLLECTIVES_GROUP_H
#define LAB_COLLECTIVES_GROUP_H

#include "benchmark/resources.h"
#include "measure/run.h"

#include <stdint.h>

enum collectives_step {
    COLLECTIVES_PREPARE, /* join the communicator and prepare the point; then answer */
    COLLECTIVES_RESET,   /* poison the results and restore the inputs */
    COLLECTIVES_RESTORE, /* restore the inputs */
    COLLECTIVES_ENQUEUE, /* enqueue the operation `times` times, and wait until it has ended */
    COLLECTIVES_CHECK,   /* check the results; then answer */
    COLLECTIVES_END      /* the run is over */
};

/* What process 0 tells the others. */
struct collectives_command {
    uint32_t step; /* enum collectives_step */
    uint32_t times;
    struct lab_point point;
    struct lab_collective_id id; /* of the point's communicator */
};

enum collectives_status { COLLECTIVES_GOOD, COLLECTIVES_UNSUPPORTED, COLLECTIVES_FAILED };

/* What each process answers. */
struct collectives_answer {
    uint64_t wrong;  /* elements of its devices */
    uint32_t status; /* enum collectives_status */
    char reason[LAB_DETAIL_MAX];
};

struct collectives_group {
    struct lab_run *run;               /* if it has one process, the functions do nothing and return true */
    struct lab_resources resources;    /* the stream and the memory */
    struct lab_lane lane;              /* of the first device */
    struct lab_collective *collective; /* the first device of each process */
    unsigned char *buffer, *staged; /* on the device, and page-locked: the own message, then those of all processes */
};

/* Joins the processes of the run. Returns false with run->error set. `group` starts with `run`, the rest 0. */
bool collectives_group_open(struct collectives_group *group, bool multicast);
/* `abandoned`: another process may be gone. */
void collectives_group_close(struct collectives_group *group, bool abandoned);

/* Replaces *command by that of process 0. Waits for all processes. Returns false with run->error set. */
bool collectives_group_command(struct collectives_group *group, struct collectives_command *command);
/* Replaces *answer by that of all processes together: the sum of the wrong elements and the worst status with its
 * reason. Waits for all processes. Returns false with run->error set. */
bool collectives_group_answer(struct collectives_group *group, struct collectives_answer *answer);

#endif
