/* Declarations shared by the files of health: health.c (descriptor), points.c (axes and plan), run.c (the measured
 * checks of a device), pair.c (copies between two devices), readings.c (the checks that are read, not measured).
 */
#ifndef LAB_HEALTH_H
#define LAB_HEALTH_H

#include "benchmark/loop.h"
#include "benchmark/peer_access.h"
#include "benchmark/resources.h"
#include "experiments/matmul/matmul.h"
#include "facts/readings.h"
#include "measure/verify.h"

/* The axes: indices into struct lab_point.values. Only copies between devices have a value on HEALTH_PEER, the
 * target. */
enum health_axis { HEALTH_DEVICE, HEALTH_CHECK, HEALTH_PEER };

/* The values of HEALTH_CHECK. Those up to HEALTH_P2P are measured. From HEALTH_READINGS on they are the readings of a
 * device, in the order of enum lab_reading, which are no points of the plan. */
enum health_check { HEALTH_H2D, HEALTH_D2H, HEALTH_MEMORY, HEALTH_GEMM, HEALTH_P2P, HEALTH_READINGS };

LAB_RUN(health);

/* Bytes of the copy of a check. */
size_t health_copy_bytes(const struct lab_device_facts *device, enum health_check check);

/* Whether the check is made on all devices at the same time. A link may be shared, and so is the memory of the host.
 * GPUs share neither memory nor multiprocessors; CPU devices do. */
bool health_is_concurrent(const struct lab_device_facts *device, enum health_check check);

/* The matrix product that a device computes: of its fastest type, large enough to occupy the device. */
struct matmul_problem health_problem(const struct lab_device_facts *device);

/* --- copies between two devices ----------------------------------------------------------------------------------- */

/* The copy of a point from a device to another one, with its memory. Initialise with {.resources = {.run = run}}. */
struct health_pair {
    struct lab_resources resources;
    struct lab_device *source, *target;
    struct lab_lane lane; /* a stream of the source, which writes to the target */
    void *from, *to;
    size_t bytes;
    struct lab_destinations result;
};

/* Prepares the copy of a point of HEALTH_P2P. Returns false with run->error set, code "unsupported" if the devices
 * cannot access each other. Call health_pair_end in either case. */
bool health_pair_begin(struct health_pair *pair, struct lab_peer_access *access, const struct lab_point *point,
                       struct lab_case *c);
void health_pair_end(struct health_pair *pair);

/* --- readings ----------------------------------------------------------------------------------------------------- */

/* Reports the PCIe link of a device while copies of `work`, between it and the host, keep the link busy. Returns false
 * with run->error set. */
bool health_report_link(struct lab_run *run, size_t device, const struct lab_work *work);

/* Reports the errors that a device has counted, and how many processes use it. Returns false with run->error set. */
bool health_report_errors(struct lab_run *run, size_t device);

#endif
