/* The clock of all deadlines in server/http: monotonic, in milliseconds, with a resolution of a few milliseconds, because
 * that clock is cheaper to read. Durations that are counted are measured with the exact one.
 */
#ifndef LAB_HTTP_CLOCK_H
#define LAB_HTTP_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t lab_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline int64_t lab_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The time `seconds` from now on CLOCK_MONOTONIC, for pthread_cond_timedwait. */
static inline struct timespec lab_timespec_after(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t ns = time.tv_nsec + (int64_t)(seconds * 1e9);
    time.tv_sec += ns / 1000000000;
    time.tv_nsec = ns % 1000000000;
    return time;
}

#endif
