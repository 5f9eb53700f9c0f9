/* Clocks and times. Deadlines and durations are measured with the monotonic clock, because the wall clock may be set. A
 * time is microseconds since 1970 UTC, as text in the form of RFC 3339. All functions may be called from any thread.
 */
#ifndef LAB_CLOCK_H
#define LAB_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* --- the monotonic clock ------------------------------------------------------------------------------------------ */

static inline uint64_t lab_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* The monotonic clock in seconds. */
static inline double lab_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The monotonic clock in milliseconds, with a resolution of a few milliseconds: cheaper to read. */
static inline int64_t lab_clock_coarse_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A time of lab_clock_now for pthread_cond_timedwait on a condition of lab_condition_init. */
static inline struct timespec lab_clock_moment(double at)
{
    struct timespec time = {.tv_sec = (time_t)at};
    time.tv_nsec = (long)((at - (double)time.tv_sec) * 1e9);
    return time;
}

/* Initialises a condition whose waits end by the monotonic clock. */
static inline void lab_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* --- the wall clock ----------------------------------------------------------------------------------------------- */

/* Nanoseconds since 1970 UTC. */
static inline int64_t lab_time_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Now, as a time. */
static inline int64_t lab_time_now(void)
{
    return lab_time_now_ns() / 1000;
}

/* --- times as text ------------------------------------------------------------------------------------------------ */

/* Stands for a time that is not known. */
#define LAB_NO_TIME INT64_MIN

/* Size of a time in UTC with microseconds ("2025-01-31T12:00:00.000001Z"), which are always written, and its NUL. */
enum { LAB_TIME_SIZE = 28 };

/* Writes a time; "" for LAB_NO_TIME. */
void lab_time_text(int64_t at, char text[LAB_TIME_SIZE]);
/* Reads a time of any offset from UTC, or a date. False when the text is neither; *at is unchanged then. */
bool lab_time_parse(const char *text, int64_t *at);

#endif
