/* Statuses and priorities of runs, and their names, which database, HTTP API and command line share. */
#ifndef LAB_RUN_STATUS_H
#define LAB_RUN_STATUS_H

#include <stdbool.h>

enum { LAB_RUN_ID_SIZE = 37 }; /* of a UUIDv7 as text, with its NUL */

enum lab_status {
    LAB_STATUS_QUEUED,
    LAB_STATUS_RUNNING,
    LAB_STATUS_SUCCEEDED,
    LAB_STATUS_FAILED,
    LAB_STATUS_CANCELLED,
    LAB_STATUS_INTERRUPTED,
    LAB_STATUS_COUNT
};

/* By enum lab_status; ends with NULL. */
extern const char *const lab_status_names[LAB_STATUS_COUNT + 1];
const char *lab_status_name(enum lab_status status);
bool lab_status_parse(const char *name, enum lab_status *status);
/* Whether `name` is that of the status; NULL is the name of none. */
bool lab_status_is(const char *name, enum lab_status status);
static inline bool lab_status_live(enum lab_status status)
{
    return status == LAB_STATUS_QUEUED || status == LAB_STATUS_RUNNING;
}

enum lab_priority { LAB_PRIORITY_NORMAL, LAB_PRIORITY_LOW };

/* By enum lab_priority; ends with NULL. */
extern const char *const lab_priority_names[];
const char *lab_priority_name(enum lab_priority priority);
bool lab_priority_parse(const char *name, enum lab_priority *priority);

#endif
