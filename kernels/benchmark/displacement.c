/* Allocates memory of random sizes. */
#include "benchmark/displacement.h"

#include "runtime/pattern.h"

/* Small allocations share pages of 2 MiB, in which they begin at multiples of 512 bytes; larger ones have pages of
 * their own. Sizes are 1 to `count` times `unit`. */
static const struct {
    size_t unit, count;
} sizes[LAB_DISPLACEMENTS] = {{512, 1024}, {2 << 20, 16}};

static const size_t share_max = 256; /* at most 1/share_max of a device's memory is allocated */

void lab_displacement_make(struct lab_displacement *displacement, struct lab_run *run, uint64_t number)
{
    displacement->run = run;
    for (size_t i = 0; i < run->device_count; i++) {
        struct lab_device *device = run->devices[i];
        int64_t memory = device->facts.total_memory_bytes;
        for (size_t k = 0; k < LAB_DISPLACEMENTS; k++) {
            uint32_t random = lab_pattern_word(i * LAB_DISPLACEMENTS + k, number);
            size_t bytes = (1 + random % sizes[k].count) * sizes[k].unit;
            if (memory / (int64_t)share_max < (int64_t)bytes ||
                !device->runtime->allocate(device, LAB_MEMORY_DEVICE, bytes, &displacement->addresses[i][k]))
                displacement->addresses[i][k] = NULL;
            device->error = (struct lab_error){0};
        }
    }
}

void lab_displacement_release(struct lab_displacement *displacement)
{
    for (size_t i = 0; displacement->run != NULL && i < displacement->run->device_count; i++) {
        struct lab_device *device = displacement->run->devices[i];
        for (size_t k = 0; k < LAB_DISPLACEMENTS; k++)
            device->runtime->free(device, LAB_MEMORY_DEVICE, displacement->addresses[i][k]);
    }
    *displacement = (struct lab_displacement){0};
}
