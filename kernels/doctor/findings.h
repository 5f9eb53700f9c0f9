/* Private to doctor/: what an examination has found, and the functions by which a check adds a finding. */
#ifndef LAB_DOCTOR_FINDINGS_H
#define LAB_DOCTOR_FINDINGS_H

#include "doctor/doctor.h"

enum { DOCTOR_TEXT_MAX = 512 };

struct doctor {
    const struct lab_doctor_options *options;
    bool has_gpu; /* the machine has a GPU of NVIDIA, whether it can be used or not */
    json_t *findings;
};

/* One thing that is looked for. */
struct doctor_check {
    const char *name, *title; /* `name` never changes: programs know it */
    const char *enables;      /* experiments and functions of gpulab by their names; NULL: it is no part of any */
    /* The packages that have it; NULL: none has. "@" is the version of CUDA as packages are called: 13-0. */
    const char *debian, *rhel;
    void (*examine)(struct doctor *doctor, const struct doctor_check *check);
    const void *with; /* what `examine` needs of this row; its type is known there */
};

/* The checks of each file, in the order in which they are made; each table ends with name NULL. */
extern const struct doctor_check doctor_gpu_checks[], doctor_library_checks[], doctor_program_checks[],
    doctor_system_checks[], doctor_machine_checks[], doctor_setting_checks[];

/* Add a finding: what was found, as a sentence without its end. `remedy`: what to do, NULL for the packages of the
 * check. Texts of others, such as error messages, go through doctor_shareable before. */
__attribute__((format(printf, 3, 4))) void doctor_works(struct doctor *doctor, const struct doctor_check *check,
                                                        const char *format, ...);
__attribute__((format(printf, 4, 5))) void doctor_missing(struct doctor *doctor, const struct doctor_check *check,
                                                          const char *remedy, const char *format, ...);
/* As doctor_missing, for what keeps gpulab from working. */
__attribute__((format(printf, 4, 5))) void doctor_blocks(struct doctor *doctor, const struct doctor_check *check,
                                                         const char *remedy, const char *format, ...);
__attribute__((format(printf, 4, 5))) void doctor_disturbs(struct doctor *doctor, const struct doctor_check *check,
                                                           const char *remedy, const char *format, ...);

#endif
