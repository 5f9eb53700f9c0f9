/* The sum of floats, in three ways
 *
 * A program in C, for a machine without a GPU. A float has 24 bits, so a sum of many loses what is small beside it. A
 * sum in a double is right and as fast, and a sum of the sums of both halves, and so on for the halves, is nearly
 * right. The compiler may not change the order of the additions, so the plain loop is slow; -O3 -ffast-math allows it
 * to, and changes the result.
 *
 * Lessons: summation, reduction
 */
#include <math.h>
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

static double sum_in_float(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double sum_in_double(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double sum_of_halves(const float *x, size_t n)
{
    if (n <= 64)
        return sum_in_float(x, n);
    return (float)sum_of_halves(x, n / 2) + (float)sum_of_halves(x + n / 2, n - n / 2);
}

int main(void)
{
    static const struct {
        const char *name;
        double (*sum)(const float *x, size_t n);
        double tolerance; /* relative */
    } ways[] = {{"float", sum_in_float, 1}, {"double", sum_in_double, 1e-12}, {"halves", sum_of_halves, 1e-6}};
    const size_t n = 1 << 24;
    const double exact = 0.1f * (double)n; /* 0.1f is not 0.1, but the product is exact */
    float *x = malloc(n * sizeof *x);
    int wrong = 0;
    if (x == NULL)
        return EXIT_FAILURE;
    for (size_t i = 0; i < n; i++)
        x[i] = 0.1f;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        double start = now(), sum = ways[i].sum(x, n), seconds = now() - start, error = fabs(sum / exact - 1);
        printf("%-7s %14.3f, relative error %.1e, %6.2f ms\n", ways[i].name, sum, error, seconds * 1e3);
        gpulab_result("time", seconds, "s", "sum=%s elements=%zu", ways[i].name, n);
        gpulab_result("error", error, "", "sum=%s elements=%zu", ways[i].name, n);
        wrong += !(error <= ways[i].tolerance);
    }
    free(x);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
