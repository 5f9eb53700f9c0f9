/* Reads the host's monotonic clock. This file contains nothing else, because a test that defines these functions
 * replaces the whole object file. */
#include "measure/clock.h"

#include "core/clock.h"

#include <errno.h>
#include <time.h>

double lab_now_s(void)
{
    return lab_clock_now();
}

void lab_sleep_s(double seconds)
{
    if (!(seconds > 0))
        return;
    struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}
