/* Version, commit and compiler of this build. The definition is generated at build time by build_info.cmake. */
#ifndef LAB_BUILD_H
#define LAB_BUILD_H

struct lab_build {
    const char *version;       /* "0.1.0" */
    const char *commit;        /* short hash, with "-dirty" appended when the tree has changes; "unknown" without git */
    const char *type;          /* "Release" */
    const char *compiler;      /* "GNU 12.2.0" */
    const char *flags;         /* compiler flags */
    const char *cuda;          /* version of nvcc; "" when built without CUDA */
    const char *cuda_flags;    /* flags of nvcc, without the architectures; "" when built without CUDA */
    const char *architectures; /* GPU architectures compiled for: "90 100" */
};

extern const struct lab_build lab_build;

#endif
