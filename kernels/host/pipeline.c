/* The kernels of pipelines, in which copies hide behind compute, and of work that several devices share out; each for a
 * core's share of the elements. */
#include "internal.h"

#include <math.h>
#include <string.h>

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

void lab_host_waves(const struct lab_operation *problem, size_t begin, size_t end)
{
    float *values = problem->destination.address;
    for (size_t i = begin; i < end; i++)
        values[i] += mean_of_waves((uint32_t)((problem->first + i) % ARGUMENTS), problem->weight);
}

/* Windows of the whole array are windows of the buffer: it begins and ends at a border of one. */
void lab_host_average(const struct lab_operation *problem, size_t begin, size_t end)
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

void lab_host_increment(const struct lab_operation *problem, size_t begin, size_t end)
{
    int32_t *values = problem->destination.address;
    for (size_t i = begin; i < end; i++)
        values[i] += LAB_INCREMENT;
}

void lab_host_pairs(const struct lab_operation *problem, size_t begin, size_t end)
{
    uint32_t *to = problem->destination.address;
    const uint32_t *elements = problem->source.address, *partners = problem->source2.address;
    for (size_t i = begin; i < end; i++) {
        uint32_t sum = 0;
        for (size_t p = 0; p < problem->weight; p++) {
            uint32_t difference = elements[i] - partners[p];
            sum += difference * difference;
        }
        to[i] = sum;
    }
}

/* Tile by tile, so that both the rows that are read and those that are written stay in the cache. */
void lab_host_transpose(const struct lab_operation *problem, size_t begin, size_t end)
{
    enum { TILE = 16 };
    unsigned char *to = problem->destination.address;
    const unsigned char *from = problem->source.address;
    size_t side = problem->destination.height;
    for (size_t top = begin; top < end; top += TILE)
        for (size_t left = 0; left < side; left += TILE)
            for (size_t row = top; row < top + TILE && row < end; row++)
                for (size_t column = left; column < left + TILE && column < side; column++)
                    memcpy(to + row * problem->destination.pitch + 4 * column,
                           from + column * problem->source.pitch + 4 * row, 4);
}
