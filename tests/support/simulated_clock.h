/* The clock of kernels/measure, which a test can simulate. Its file is in instead/. */
#ifndef LAB_SIMULATED_CLOCK_H
#define LAB_SIMULATED_CLOCK_H

#include "support/test.h"

struct simulated_clock {
    bool runs;      /* false: lab_now_s and lab_sleep_s are those of the machine */
    double now_s;   /* only sleeping and tests let it advance */
    double slept_s; /* the part of this time that was slept */
};
extern struct simulated_clock simulated;

/* Setup: simulates the clock, from 0 on. */
test_fixture simulate_clock;

#endif
