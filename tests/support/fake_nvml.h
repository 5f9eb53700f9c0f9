/* A fake NVML with two GPUs and a MIG instance of the first, with the functions of an old or a new driver. */
#ifndef LAB_FAKE_NVML_H
#define LAB_FAKE_NVML_H

#include "support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

#define UUID_0 "GPU-00000000-1111-2222-3333-444444444444"
#define UUID_1 "GPU-00000000-1111-2222-3333-555555555555"
#define UUID_MIG "MIG-00000000-1111-2222-3333-666666666666"

/* The addresses of these variables are the handles of the two GPUs and the MIG instance. */
extern char gpu[2], instance;
extern int started;
extern unsigned links_up; /* number of active NVLinks of each GPU */
extern bool links_direct; /* the links end at the other GPU; false: at a switch */
extern int init_result;
/* Xid errors that come while GPU 0 is watched, and whether an event set is open. */
extern unsigned xids_due[8];
extern size_t xid_count;
extern int event_sets;

/* --- the functions of each driver --------------------------------------------------------------------------------- */

enum age { OLD = 1, NEW = 2, ALWAYS = 3 };

void *resolve(void *context, const char *symbol);

/* A library with only the three functions that every version of NVML has. */
void *resolve_bare(void *context, const char *symbol);
void *resolve_nothing(void *context, const char *symbol);

#endif
