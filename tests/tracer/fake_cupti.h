/* What the program tells the library in place of CUPTI. */
#ifndef FAKE_CUPTI_H
#define FAKE_CUPTI_H

#include <stddef.h>

/* Adds an activity record, which the next flush returns if its kind is enabled. */
typedef void fake_cupti_add_activity(const void *activity, size_t size);
/* How often the tracer has flushed. */
typedef unsigned fake_cupti_count_flushes(void);

#endif
