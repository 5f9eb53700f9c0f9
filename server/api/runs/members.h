/* The objects in a run as rows, for the schema of a run and the check of an import. Runs of other versions may have
 * other members there, which are kept. */
#ifndef LAB_API_RUN_MEMBERS_H
#define LAB_API_RUN_MEMBERS_H

#include "core/number.h"
#include "descriptor/results.h"

extern const struct lab_schema lab_run_device_members[], lab_headline_members[], lab_run_error_members[],
    lab_progress_members[];

/* The details of rows of run_members.h. */
#define LAB_RUN_DEVICES                                                                                                \
    .type = LAB_TYPE_OBJECT, .members = lab_run_device_members, .open = true, .component = "RunDevice"
#define LAB_RUN_HEADLINE                                                                                               \
    .type = LAB_TYPE_OBJECT, .members = lab_headline_members, .open = true, .component = "Headline",                   \
    .text = "The measurements that stand for the run; null until it has ended."
#define LAB_RUN_MESSAGES                                                                                               \
    .type = LAB_TYPE_OBJECT, .members = lab_message_members,                                                           \
    .text = "What compilers say of the files of a program, errors first; null where they were not asked."
#define LAB_RUN_FINDINGS                                                                                               \
    .type = LAB_TYPE_OBJECT, .members = lab_finding_members,                                                           \
    .text = "What the timeline of a program shows; null where none was recorded."
#define LAB_RUN_ERROR .members = lab_run_error_members, .open = true, .component = "RunError"
#define LAB_RUN_PROGRESS .members = lab_progress_members
#define LAB_RUN_ENVIRONMENT .component = "Environment"

/* The schema of a member that a table of rows declares (core/result_members.h) and that every answer has. */
#define LAB_ANSWERED(x, form, member, presence, ...)                                                                   \
    {.name = #member, .required = true, .nullable = LAB_NULLABLE_##presence, LAB_SCHEMA_##form, __VA_ARGS__},

#endif
