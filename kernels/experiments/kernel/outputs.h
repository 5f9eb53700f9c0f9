/* The outputs of an own kernel that another process judges (METHOD.md 23), and the file in which it gets them: records,
 * each of one launch. The numbers are drawn from the random numbers of the operating system when they are needed, so
 * that the kernel cannot find those of later launches in any memory.
 */
#ifndef LAB_KERNEL_OUTPUTS_H
#define LAB_KERNEL_OUTPUTS_H

#include "job.h"

#include <stdio.h>

enum {
    KERNEL_KEPT_MAX = 64,    /* samples of a point whose outputs are judged, chosen at random */
    KERNEL_PIECES = 64,      /* of each output of such a sample */
    KERNEL_PIECE_BYTES = 256 /* of a piece */
};

/* What precedes the elements in the file: those of all outputs in their order, of each its pieces in their order. */
struct kernel_record {
    struct lab_point point;
    uint64_t seed;   /* of the inputs */
    uint64_t places; /* from which the places of the pieces follow; 0: the only piece is the whole output */
    uint64_t bytes;  /* of the elements */
};

/* Elements of an output, one after the other. */
struct kernel_piece {
    uint64_t first, count;
};

/* The number of pieces of each output in a record, and piece `index` of the output in `buffer`. */
size_t kernel_piece_count(const struct kernel_record *record);
struct kernel_piece kernel_piece_of(const struct kernel_record *record, const struct kernel_argument *argument,
                                    size_t buffer, size_t index);

/* The bytes of the elements that a record of this point and these places has. */
uint64_t kernel_record_bytes(const struct kernel_definition *definition, const struct kernel_record *record);

/* What the process of the kernel keeps for the one that judges. */
struct kernel_outputs {
    FILE *file;     /* NULL: no other process judges */
    size_t counted; /* samples of the point so far */
    struct kernel_kept {
        struct kernel_record record;
        unsigned char *elements; /* NULL: none */
    } kept[KERNEL_KEPT_MAX];
};

/* Opens the file of the run, if it has one; false with run->error set. Call kernel_outputs_close in either case. */
bool kernel_outputs_open(struct kernel_outputs *outputs, struct lab_run *run);
void kernel_outputs_close(struct kernel_outputs *outputs);

/* The following functions are for a job that has begun. They return false with the device's error set. */

/* Forgets what was kept of another point. */
void kernel_outputs_begin(struct kernel_outputs *outputs);
/* Fills the buffers of the job for the next launch: inputs with random data of a new seed, outputs with other data. */
bool kernel_outputs_renew(struct kernel_job *job);
/* Keeps pieces of the outputs of a launch, or not: of all calls for a point, KERNEL_KEPT_MAX are kept, each with the
 * same probability. Whether and which is decided only now. Waits for nothing: what the launch has not written yet is
 * wrong. */
bool kernel_outputs_keep(struct kernel_outputs *outputs, struct kernel_job *job);
/* Writes what was kept to the file, and then the whole outputs of another launch on new inputs, after everything on the
 * device has ended. */
bool kernel_outputs_write(struct kernel_outputs *outputs, struct kernel_job *job, const struct lab_lane *lane);

#endif
