/* The clock for the deadlines of queue, workers and command line: CLOCK_MONOTONIC, in seconds. */
#ifndef LAB_CLOCK_H
#define LAB_CLOCK_H

#include <time.h>

static inline double lab_clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A time of this clock for pthread_cond_timedwait on a condition that uses CLOCK_MONOTONIC. */
static inline struct timespec lab_clock_moment(double at)
{
    struct timespec time = {.tv_sec = (time_t)at};
    time.tv_nsec = (long)((at - (double)time.tv_sec) * 1e9);
    return time;
}

#endif
