/* The kernels of offloaded jobs for host devices; offload.cu says what they compute. */
#include "benchmark/pairs.h"
#include "runtime/module.h"

#include <math.h>

enum { ARGUMENT_LIMIT = 65536 };

/* The elements of a part, of `count`. Two parts seldom write the same cache line. */
static void range_of(const struct lab_host_part *part, struct lab_argument count, uint64_t *begin, uint64_t *end)
{
    enum { UNIT = 64 };
    lab_host_part_range(part, count.u64, UNIT, begin, end);
}

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

static void add_sine_cosine(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    float *values = arguments[0].pointer;
    uint64_t begin, end;
    range_of(part, arguments[1], &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        values[i] += mean_of_terms(arguments[2].u32 + (uint32_t)i, arguments[3].u32);
}

static void average(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    int32_t *averages = arguments[0].pointer;
    const int32_t *first = arguments[1].pointer, *second = arguments[2].pointer;
    uint64_t begin, end;
    range_of(part, arguments[3], &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t window = i - i % LAB_AVERAGE_WINDOW;
        int32_t sum = 0;
        for (uint64_t k = 0; k < 3; k++) {
            uint64_t neighbour = window + (i + k) % LAB_AVERAGE_WINDOW;
            sum += first[neighbour] + second[neighbour];
        }
        averages[i] = sum / 6;
    }
}

static void increment(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    int32_t *values = arguments[0].pointer;
    uint64_t begin, end;
    range_of(part, arguments[1], &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        values[i] += LAB_INCREMENT;
}

static void pairs(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    uint32_t *to = arguments[0].pointer;
    const uint32_t *elements = arguments[1].pointer, *partners = arguments[3].pointer;
    uint64_t begin, end;
    range_of(part, arguments[2], &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t sum = 0;
        for (uint32_t p = 0; p < arguments[4].u32; p++) {
            uint32_t difference = elements[i] - partners[p];
            sum += difference * difference;
        }
        to[i] = sum;
    }
}

extern const struct lab_host_kernel lab_offload_host_kernels[];
const struct lab_host_kernel lab_offload_host_kernels[] = {
    {"add_sine_cosine", add_sine_cosine},
    {"average", average},
    {"increment", increment},
    {"pairs", pairs},
    {NULL, NULL},
};
