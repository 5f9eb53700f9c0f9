/* The kernels of the pipelines in which copies hide behind compute, each for a core's share of the elements. */
#include "internal.h"

#include <math.h>

enum { ARGUMENTS = 65536 };

/* The mean of `weight` terms that are 1 but for rounding. What is added up is their deviation from 1: a float holds each
 * of them exactly, and sums of millions of them as well, while a sum of the terms would lose more than they deviate. The
 * argument is a whole number below 2^16, which a float holds exactly too. */
static float mean_of_waves(uint32_t argument, uint32_t weight)
{
    float deviation = 0;
    for (uint32_t k = 0; k < weight; k++) {
        float x = (float)((argument + k) % ARGUMENTS);
        float sine = sinf(x), cosine = cosf(x);
        deviation += sqrtf(sine * sine + cosine * cosine) - 1.0f;
    }
    return 1.0f + deviation / (float)weight;
}

void lab_host_waves(const struct lab_problem *problem, size_t begin, size_t end)
{
    float *values = problem->destination.address;
    for (size_t i = begin; i < end; i++)
        values[i] += mean_of_waves((uint32_t)((problem->first + i) % ARGUMENTS), problem->weight);
}

/* Windows of the whole array are windows of the buffer: it begins and ends at a border of one. */
void lab_host_average(const struct lab_problem *problem, size_t begin, size_t end)
{
    int32_t *averages = problem->destination.address;
    const int32_t *first = problem->source.address, *second = problem->source2.address;
    for (size_t i = begin; i < end; i++) {
        size_t window = i - i % LAB_AVERAGE_WINDOW;
        int32_t sum = 0;
        for (size_t k = 0; k < 3; k++) {
            size_t neighbour = window + (i + k) % LAB_AVERAGE_WINDOW;
            sum += first[neighbour] + second[neighbour];
        }
        averages[i] = sum / 6;
    }
}

void lab_host_increment(const struct lab_problem *problem, size_t begin, size_t end)
{
    int32_t *values = problem->destination.address;
    for (size_t i = begin; i < end; i++)
        values[i] += LAB_INCREMENT;
}
