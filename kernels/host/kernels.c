/* The computations of the typed operations. */
#include "kernels.h"

#include <math.h>
#include <string.h>

enum { ARGUMENT_LIMIT = 65536 };

/* The mean of `weight` terms sqrt(sin^2 x + cos^2 x), each of which is 1 except for rounding. The deviations from 1 are
 * added up instead of the terms: a float represents each deviation, and sums of millions of them, exactly, whereas the
 * rounding of a sum of the terms would exceed the deviations. x is an integer below 2^16, which a float represents
 * exactly too. */
static float mean_of_terms(uint32_t argument, uint32_t weight)
{
    float deviation = 0;
    for (uint32_t k = 0; k < weight; k++) {
        float x = (float)((argument + k) % ARGUMENT_LIMIT);
        float sine = sinf(x), cosine = cosf(x);
        deviation += sqrtf(sine * sine + cosine * cosine) - 1.0f;
    }
    return 1.0f + deviation / (float)weight;
}

void lab_host_sine_cosine(const struct lab_operation *operation, size_t begin, size_t end)
{
    float *values = operation->destination.address;
    for (size_t i = begin; i < end; i++)
        values[i] += mean_of_terms((uint32_t)((operation->first + i) % ARGUMENT_LIMIT), operation->weight);
}

/* The buffer begins and ends at window borders, so that its windows are windows of the complete array. */
void lab_host_average(const struct lab_operation *operation, size_t begin, size_t end)
{
    int32_t *averages = operation->destination.address;
    const int32_t *first = operation->source.address, *second = operation->source2.address;
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

void lab_host_increment(const struct lab_operation *operation, size_t begin, size_t end)
{
    int32_t *values = operation->destination.address;
    for (size_t i = begin; i < end; i++)
        values[i] += LAB_INCREMENT;
}

void lab_host_pairs(const struct lab_operation *operation, size_t begin, size_t end)
{
    uint32_t *to = operation->destination.address;
    const uint32_t *elements = operation->source.address, *partners = operation->source2.address;
    for (size_t i = begin; i < end; i++) {
        uint32_t sum = 0;
        for (size_t p = 0; p < operation->weight; p++) {
            uint32_t difference = elements[i] - partners[p];
            sum += difference * difference;
        }
        to[i] = sum;
    }
}

/* Transposes tile by tile, so that both the rows that are read and the rows that are written stay in the cache. */
void lab_host_transpose(const struct lab_operation *operation, size_t begin, size_t end)
{
    enum { TILE = 16 };
    unsigned char *to = operation->destination.address;
    const unsigned char *from = operation->source.address;
    size_t side = operation->destination.height;
    for (size_t top = begin; top < end; top += TILE)
        for (size_t left = 0; left < side; left += TILE)
            for (size_t row = top; row < top + TILE && row < end; row++)
                for (size_t column = left; column < left + TILE && column < side; column++)
                    memcpy(to + row * operation->destination.pitch + 4 * column,
                           from + column * operation->source.pitch + 4 * row, 4);
}
