/* The groups of what an examination of a machine finds (doctor/doctor.h), which API and command line share. */
#ifndef LAB_FINDING_GROUPS_H
#define LAB_FINDING_GROUPS_H

#define LAB_FINDING_WORKS "works"
#define LAB_FINDING_MISSING "missing"
#define LAB_FINDING_DISTURBS "disturbs"

#endif
