/* Examines a machine for gpulab: what is found on it and what that enables, what is missing and which package has it,
 * and what disturbs measurements there. It creates no CUDA context and changes nothing.
 *
 * What it says can be shown to everyone: no names of machines, users or home folders, no UUID and no serial number are
 * in it.
 */
#ifndef LAB_DOCTOR_H
#define LAB_DOCTOR_H

#include "facts/nvml.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

/* What the examination is told. Strings are not copied. */
struct lab_doctor_options {
    const char *root;        /* stands before /proc, /sys, /dev, /etc and the folders below; "": this machine */
    const char *cuda;        /* the version of CUDA that this program was built with; "": built without */
    const char *cuda_failed; /* why the CUDA runtime has no device; NULL: it has */
    size_t cuda_devices;     /* that the CUDA runtime has */
    const char *cuda_runtime, *cuda_driver; /* versions of its runtime, and that the driver supports; of cuda_devices */
    struct lab_nvml *nvml;                  /* NULL: none */
    const char *nvml_failed;                /* why there is none */
    const char *lock_dir;                   /* of the devices */
    const char *database;                   /* the file of the lab's database; NULL: the lab is on another machine */
    const char *program_user;               /* as whom whole programs are executed; NULL: as whom this process is */
    const struct lab_sandbox_options *sandbox; /* the sandbox is tried with them; NULL: it is not tried */
};

/* {works, findings:[{name, title, group, blocks, text, enables, packages, remedy}…]}, a new reference. `group` is one
 * of core/finding_groups.h, `packages` {debian, rhel} or null; `enables` and `remedy` are null if there is nothing to
 * say. `blocks`: the finding keeps gpulab from working as it was installed to do; `works`: none does. Takes up to some
 * seconds, because it opens libraries, which stay open. */
json_t *lab_doctor_examine(const struct lab_doctor_options *options);

#endif
