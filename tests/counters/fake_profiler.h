/* What a test tells the library in place of CUPTI's Range Profiler, and asks it. */
#ifndef FAKE_PROFILER_H
#define FAKE_PROFILER_H

#include <stdbool.h>
#include <stddef.h>

enum { FAKE_PROFILER_PASSES = 3 };

struct fake_profiler {
    const char *fails;      /* the function that fails; NULL: none */
    int result;             /* with which it does */
    size_t fails_at;        /* at which of its calls, from 1 on; 0: all */
    bool lists_other_names; /* of device memory, as some chips do */
    bool lists_nothing;     /* of what gpulab knows */
    bool drops;             /* the range */
    bool goes_on;           /* with passes */
    /* What it was asked. */
    size_t passes, enabled, initialized, hosts; /* enabled and so on: how many of them are at present */
    bool is_in_range;                           /* between push and pop */
};

/* Found by this name in the library. */
struct fake_profiler *fake_profiler_state(void);

#endif
