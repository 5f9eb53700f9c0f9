/* Hello
 *
 * A program in C, for the first try and for a machine without a GPU. What it prints is the output of its run, and what
 * it returns is the exit code. It measures how long it takes to read the clock: nothing shorter can be timed once.
 *
 * Lessons: launch
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if __has_include("gpulab.h")
#include "gpulab.h" /* reports the results to gpulab, where the program runs in one */
#else
#define gpulab_result(...) ((void)0)
#endif

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **arguments)
{
    enum { READINGS = 1000000 };
    double start = now(), last = start;
    printf("Hello from %s\n", arguments[0]);
    for (int i = 1; i < count; i++)
        printf("argument %d: %s\n", i, arguments[i]);
    for (int i = 0; i < READINGS; i++) {
        double reading = now();
        if (reading < last)
            return EXIT_FAILURE; /* a monotonic clock never goes back */
        last = reading;
    }
    double seconds = (last - start) / READINGS;
    printf("reading the clock takes %.1f ns\n", seconds * 1e9);
    gpulab_result("time", seconds, "s", "operation=clock_gettime");
    return EXIT_SUCCESS;
}
