/* The send and receive buffers on each device: allocation, contents and verification.
 */
#ifndef LAB_COLLECTIVES_DATA_H
#define LAB_COLLECTIVES_DATA_H

#include "collectives.h"
#include "measure/run.h"

/* Contents of the sources. For operations that only move data: different elements of the test pattern on each device.
 * For reductions: summands, which add up to the elements of the pattern. */
enum collectives_content { COLLECTIVES_NOTHING, COLLECTIVES_PATTERN, COLLECTIVES_SUMMANDS };

/* On failure all calls return false and set the error of the first device. */
struct collectives_data {
    size_t device_count;
    const struct lab_lane *lanes; /* one per device */
    uint64_t seed;
    size_t capacity; /* bytes of each buffer */
    enum collectives_content content;
    void *sources[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX];
};

/* Frees all buffers. */
void collectives_data_release(struct collectives_data *data);

/* Allocates buffers for the point, or keeps the present ones if they suffice, and fills the sources. */
bool collectives_data_prepare(struct collectives_data *data, const struct collectives_point *point);

/* Sets the addresses from which each device sends and to which it receives. In place, both are in the result buffer. */
void collectives_data_buffers(const struct collectives_data *data, const struct collectives_point *point,
                              struct lab_collective_buffers *buffers);

/* Poisons all results, and copies the inputs to them again if the operation is in place. Returns when this is done. */
bool collectives_data_reset(struct collectives_data *data, const struct collectives_point *point);

/* Counts the elements of all results that differ from those of one repetition on reset buffers. */
bool collectives_data_check(struct collectives_data *data, const struct collectives_point *point, uint64_t *wrong);

#endif
