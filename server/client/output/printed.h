/* What a program prints, written while it runs: each text once, in order. */
#ifndef LAB_PRINTED_H
#define LAB_PRINTED_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. */
struct lab_printed {
    size_t bytes;              /* of the run's output that are written */
    bool out_begun, err_begun; /* stdout, stderr: a line has begun and not ended */
};

/* Writes what is new of a text that begins at `offset` of the run's output: to stderr what came by the streams "stderr"
 * and "compiler", to stdout the rest, also what a document of the run has, which says no stream (NULL). Returns false,
 * and writes nothing, where text before it is missing. */
bool lab_printed_add(struct lab_printed *printed, const char *stream, size_t offset, const char *text);
/* Ends lines that the program has not ended. */
void lab_printed_end(struct lab_printed *printed);

#endif
