/* Texts of records, each of which is written once, as a NAME. */
#ifndef LAB_TRACER_TEXTS_H
#define LAB_TRACER_TEXTS_H

#include "core/demangler.h"
#include "output.h"

/* Texts that were written, as hashes; the reader knows them by number. When the table is full, it is emptied, and texts
 * are written anew. */
struct tracer_texts {
    struct {
        uint64_t hash;   /* of the text; 0: free */
        uint32_t number; /* of the NAME */
    } items[8192];
    size_t count;
    uint32_t last;                  /* number of the last NAME */
    struct lab_demangler demangler; /* in the program, which alone suffers from a symbol that becomes too long */
};

/* The number of a text, which is written before if it is new, a symbol of C++ as its name; 0 for NULL, and where it
 * cannot be written. The caller holds the lock of the output. */
uint32_t tracer_text_number(struct tracer_texts *texts, struct tracer_output *output, const char *text);

#endif
