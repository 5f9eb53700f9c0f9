/* The send and receive buffers on each device: allocation, contents and verification.
 */
#ifndef LAB_COLLECTIVES_DATA_H
#define LAB_COLLECTIVES_DATA_H

#include "collectives.h"
#include "measure/run.h"

/* Contents of the source buffers. COLLECTIVES_PATTERN, for operations that only move data: different elements of the
 * test pattern on each device. COLLECTIVES_SUMMANDS, for reductions: summands, whose sum over all devices is the
 * pattern. */
enum collectives_content { COLLECTIVES_NOTHING, COLLECTIVES_PATTERN, COLLECTIVES_SUMMANDS };

/* The buffers of all devices. On failure the functions below return false and set the error of the first device. */
struct collectives_data {
    size_t device_count;
    const struct lab_lane *lanes; /* one per device */
    uint64_t seed;                /* of the test pattern */
    size_t capacity;              /* bytes of each buffer */
    enum collectives_content content;
    void *sources[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX]; /* send and receive buffer of each device */
    uint64_t wrong;                                                    /* result of collectives_data_check */
};

/* Frees all buffers. */
void collectives_data_release(struct collectives_data *data);

/* Allocates buffers for the point, or keeps the present ones if they suffice, and fills the sources. */
bool collectives_data_prepare(struct collectives_data *data, const struct lab_point *point);

/* Sets the addresses from which each device sends and to which it receives. For an operation in place, both addresses
 * are in the result buffer. */
void collectives_data_buffers(const struct collectives_data *data, const struct lab_point *point,
                              struct lab_collective_buffers *buffers);

/* Enqueues copies of the inputs to the buffers of an operation in place; does nothing for others. */
bool collectives_data_restore(struct collectives_data *data, const struct lab_point *point);

/* Poisons all result buffers and restores the inputs. Waits until this is done. */
bool collectives_data_reset(struct collectives_data *data, const struct lab_point *point);

/* Sets data->wrong to the number of elements of all results that differ from the result of one repetition on buffers that
 * were just reset. */
bool collectives_data_check(struct collectives_data *data, const struct lab_point *point);

#endif
