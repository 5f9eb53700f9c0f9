/* The names of run statuses and priorities. */
#include "run_status.h"

#include <string.h>

const char *const lab_status_names[LAB_STATUS_COUNT + 1] = {
    [LAB_STATUS_QUEUED] = "queued", [LAB_STATUS_RUNNING] = "running",     [LAB_STATUS_SUCCEEDED] = "succeeded",
    [LAB_STATUS_FAILED] = "failed", [LAB_STATUS_CANCELLED] = "cancelled", [LAB_STATUS_INTERRUPTED] = "interrupted",
};

const char *const lab_priority_names[] = {[LAB_PRIORITY_NORMAL] = "normal", [LAB_PRIORITY_LOW] = "low", NULL};

const char *lab_status_name(enum lab_status status)
{
    return lab_status_names[status];
}

bool lab_status_parse(const char *name, enum lab_status *status)
{
    for (unsigned i = 0; i < LAB_STATUS_COUNT; i++) {
        if (strcmp(lab_status_names[i], name) == 0) {
            *status = (enum lab_status)i;
            return true;
        }
    }
    return false;
}

bool lab_status_is(const char *name, enum lab_status status)
{
    return name != NULL && strcmp(name, lab_status_names[status]) == 0;
}

const char *lab_priority_name(enum lab_priority priority)
{
    return lab_priority_names[priority];
}

bool lab_priority_parse(const char *name, enum lab_priority *priority)
{
    for (unsigned i = LAB_PRIORITY_NORMAL; i <= LAB_PRIORITY_LOW; i++) {
        if (strcmp(lab_priority_names[i], name) == 0) {
            *priority = (enum lab_priority)i;
            return true;
        }
    }
    return false;
}
