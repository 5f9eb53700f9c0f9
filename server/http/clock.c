#include "clock.h"

#include <time.h>

int64_t lab_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t lab_after_ms(double seconds)
{
    return lab_now_ms() + (int64_t)(seconds * 1e3);
}
