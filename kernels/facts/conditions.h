/* The conditions of a device at one moment: clock, temperature, power, throttling. */
#ifndef LAB_CONDITIONS_H
#define LAB_CONDITIONS_H

#include <stddef.h>

enum { LAB_THROTTLE_MAX = 8 };

/* The conditions while a point was measured; of several devices the worst value of each. Unknown numbers are NAN. */
struct lab_conditions {
    double sm_clock_hz;
    double temperature_c;
    double power_w;
    size_t throttle_count;
    const char *throttle[LAB_THROTTLE_MAX]; /* "power-cap", "thermal", …; static strings */
};

/* Sets everything to unknown. */
void lab_conditions_clear(struct lab_conditions *conditions);

#endif
