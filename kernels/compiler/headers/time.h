/* The types of <time.h>, as in <cuda/std/ctime>; NVRTC declares clock(). */
#ifndef LAB_COMPILER_TIME_H
#define LAB_COMPILER_TIME_H

#include <stddef.h>

typedef long long time_t;

#endif
