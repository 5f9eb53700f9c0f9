/* The conditions of a device at one moment: clock, temperature, power, throttling. */
#ifndef LAB_CONDITIONS_H
#define LAB_CONDITIONS_H

#include <stddef.h>

enum { LAB_THROTTLE_MAX = 8 };

/* The conditions while a point was measured. For several devices: the lowest clock, the highest temperature and power,
 * and the throttle reasons of all. Unknown numbers are NAN. */
struct lab_conditions {
    double sm_clock_hz;
    double temperature_c;
    double power_w;
    size_t throttle_count;
    const char *throttle[LAB_THROTTLE_MAX]; /* reasons why the clock is lowered: "power-cap", …; static strings */
};

/* Sets every number to unknown and removes all throttle reasons. */
void lab_conditions_clear(struct lab_conditions *conditions);

#endif
