/* What the devices send and receive: two buffers on each, the contents of what is sent, and the check of what arrived.
 */
#ifndef LAB_COLLECTIVES_DATA_H
#define LAB_COLLECTIVES_DATA_H

#include "collectives.h"
#include "measure/run.h"

/* What the sources hold: numbers that are only moved are elements of the pattern, other ones on each device; numbers that
 * are added up are shares of the pattern's. */
enum collectives_content { COLLECTIVES_NOTHING, COLLECTIVES_PATTERN, COLLECTIVES_SUMMANDS };

/* All calls return false with the error of the first device set. */
struct collectives_data {
    size_t device_count;
    const struct lab_lane *lanes; /* one for each device */
    uint64_t seed;
    size_t capacity; /* bytes of each buffer */
    enum collectives_content content;
    void *sources[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX];
};

void collectives_data_release(struct collectives_data *data);

/* Makes buffers that are large enough for the point, unless those at hand are, and fills the sources. */
bool collectives_data_prepare(struct collectives_data *data, const struct collectives_point *point);

/* Where each device sends from and receives into. In place that is the result's buffer alone. */
void collectives_data_buffers(const struct collectives_data *data, const struct collectives_point *point,
                              struct lab_collective_buffers *buffers);

/* Destroys all results; in place, what is sent is put among them anew. Returns when that is done. */
bool collectives_data_reset(struct collectives_data *data, const struct collectives_point *point);

/* Counts the elements of all results that are not what one repetition makes of renewed data. */
bool collectives_data_check(struct collectives_data *data, const struct collectives_point *point, uint64_t *wrong);

#endif
