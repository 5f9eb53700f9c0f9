/* The copies of a workload on one device: each on a stream of its own, in one call or in pieces, by a copy engine or by
 * a kernel.
 */
#ifndef LAB_COPIES_H
#define LAB_COPIES_H

#include "benchmark/buffers.h"
#include "measure/measure.h"

/* Initialise `device` and `streams`; the rest is zero. */
struct lab_copies {
    struct lab_device *device;
    struct lab_stream *streams[LAB_COPIES_MAX];
    const struct lab_buffers *buffers; /* of the current workload */
    struct lab_copy {
        enum lab_direction direction;
        struct lab_region source, destination;
        size_t layers;             /* of a three-dimensional copy; 0: it is none */
        size_t calls, piece_bytes; /* number of calls, and bytes of each */
        struct lab_plan *plan;     /* the copy kernel; NULL: a copy engine copies */
    } items[LAB_COPIES_MAX];
};

/* The functions return false with the device's error set. */

/* Prepares the copies of a workload on buffers that have been prepared for it. Call lab_copies_end in either case. */
bool lab_copies_begin(struct lab_copies *copies, const struct lab_buffers *buffers);
void lab_copies_end(struct lab_copies *copies);

/* Enqueues the measured copies; the one that is background load. */
bool lab_copies_enqueue(struct lab_copies *copies);
bool lab_copies_enqueue_background(struct lab_copies *copies);

/* Sets *wrong to the number of wrong elements that the measured copies have written. */
bool lab_copies_check(const struct lab_copies *copies, uint64_t *wrong);

/* Number of copies of a workload that are measured. */
size_t lab_copies_measured(const struct lab_workload *workload);

/* How copies are timed (METHOD.md 2, 3). */
enum lab_timing lab_copies_timing(const struct lab_workload *workload);

/* The theoretical bandwidth of a device's PCIe link in one direction, or in both together. Writes its name to
 * `what`. */
struct lab_peak lab_link_peak(const struct lab_device_facts *facts, bool both, char what[64]);

#endif
