/* Run ids: UUIDs of version 7 (RFC 9562), whose text sorts by time. */
#include "store.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

/* Returns the 60 bits before the random ones: milliseconds since 1970, then 12 bits for the fraction of a millisecond. A tick
 * is always greater than the one before it, also in other threads and when the clock is set back. */
static uint64_t next_tick(void)
{
    static _Atomic uint64_t last;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    uint64_t fraction = (uint64_t)(now.tv_nsec % 1000000) * 4096 / 1000000;
    uint64_t clock = ms << 12 | fraction, before = atomic_load(&last), tick;
    do {
        tick = clock > before ? clock : before + 1;
    } while (!atomic_compare_exchange_weak(&last, &before, tick));
    return tick;
}

void lab_run_id(char id[LAB_RUN_ID_SIZE])
{
    uint64_t tick = next_tick(), noise = 0;
    /* getrandom blocks until the kernel has entropy; after that, a request this small gets all its bytes. */
    while (getrandom(&noise, sizeof noise, 0) != sizeof noise)
        ;
    snprintf(id, LAB_RUN_ID_SIZE, "%08llx-%04llx-7%03llx-%04llx-%012llx", (unsigned long long)(tick >> 28 & 0xffffffff),
             (unsigned long long)(tick >> 12 & 0xffff), (unsigned long long)(tick & 0xfff),
             (unsigned long long)(0x8000 | (noise >> 48 & 0x3fff)), (unsigned long long)(noise & 0xffffffffffff));
}
