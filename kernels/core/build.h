/* Which build this is. Filled in by build_info.cmake. */
#ifndef LAB_BUILD_H
#define LAB_BUILD_H

struct lab_build {
    const char *version;  /* "0.1.0" */
    const char *commit;   /* short hash, "-dirty" behind it where the tree was changed; "unknown" */
    const char *type;     /* "Release" */
    const char *compiler; /* "GNU 12.2.0" */
    const char *flags;
    const char *cuda;          /* version of nvcc, "" without */
    const char *architectures; /* GPU architectures compiled for */
};

extern const struct lab_build lab_build;

#endif
