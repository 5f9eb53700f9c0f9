/* What the program tells the library in place of CUPTI and the driver, where hardware counters are read. */
#ifndef FAKE_COUNTING_H
#define FAKE_COUNTING_H

#include <stdint.h>

/* Calls a function of the driver in a context: that of a number of CUPTI (CUPTI_DRIVER_TRACE_CBID_…), for a launch with
 * the symbol of the kernel. */
typedef void fake_counting_call_driver(uint32_t function, uintptr_t context, const char *symbol);
/* Destroys a context. */
typedef void fake_counting_destroy_context(uintptr_t context);

#endif
