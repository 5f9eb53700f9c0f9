/* What programs and compilers print, as the run's output: bounded, and as valid UTF-8 in which control characters are
 * shown, so that nothing that is printed can change how the rest looks.
 */
#ifndef LAB_PROGRAM_OUTPUT_H
#define LAB_PROGRAM_OUTPUT_H

#include "core/protocol.h"
#include "measure/run.h"

enum program_stream { PROGRAM_COMPILER, PROGRAM_STDOUT, PROGRAM_STDERR, PROGRAM_STREAMS };

/* The bytes that are kept of the end of an output. The end is sent when the program has ended, the beginning as it
 * comes. */
enum { PROGRAM_OUTPUT_TAIL = LAB_OUTPUT_MAX / 4 };

/* The bytes of a stream that are no character yet. */
struct program_part {
    char bytes[4];
    size_t count;
};

struct program_output {
    struct lab_run *run;
    size_t sent; /* bytes of text */
    struct program_part held[PROGRAM_STREAMS];
    char *tail;          /* a ring of PROGRAM_OUTPUT_TAIL bytes; NULL: nothing is in it */
    uint64_t tail_bytes; /* that were ever put into it */
};

/* `output` starts as {.run = run}. Takes what was printed. */
void program_output_add(struct program_output *output, enum program_stream stream, const char *bytes, size_t size);
/* Sends what is left, after a line that says how much is missing; frees the ring. */
void program_output_end(struct program_output *output);

#endif
