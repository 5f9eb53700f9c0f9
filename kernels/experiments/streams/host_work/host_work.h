/* Declarations shared by the files of host-work: host_work.c (descriptor and workload of a point), run.c (operation and
 * work together), host_work.cu and host_work_host.c (the kernel).
 */
#ifndef LAB_HOST_WORK_H
#define LAB_HOST_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_run;

enum { HOST_WORK_AXIS_VARIANT, HOST_WORK_AXIS_BYTES, HOST_WORK_AXIS_SHARE };

/* In the order of the parameter's choices. */
enum host_work_variant {
    HOST_WORK_KERNEL,
    HOST_WORK_H2D_PINNED,
    HOST_WORK_D2H_PINNED,
    HOST_WORK_H2D_PAGEABLE,
    HOST_WORK_D2H_PAGEABLE
};

/* The seconds of an operation and of work of the host that is begun when the call has returned: the longer of both if
 * the call returns before the operation has ended, else both. */
double host_work_predict(bool returns_early, double operation_s, double work_s);

bool host_work_run(struct lab_run *run);

#endif
