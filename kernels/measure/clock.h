/* The host's clock and pauses. Tests replace both functions with a simulated clock. */
#ifndef LAB_MEASURE_CLOCK_H
#define LAB_MEASURE_CLOCK_H

/* The host's monotonic clock, in seconds. */
double lab_now_s(void);

/* Suspends the calling thread for `seconds`; returns immediately if they are not positive. */
void lab_sleep_s(double seconds);

#endif
