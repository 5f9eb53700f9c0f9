/* Makes records of what CUPTI reports. */
#ifndef LAB_TRACER_ACTIVITY_H
#define LAB_TRACER_ACTIVITY_H

#include "core/demangler.h"
#include "cupti.h"
#include "output.h"

/* Texts that were written, as hashes; the reader knows them by number. When the table is full, it is emptied, and texts
 * are written anew. */
struct tracer_texts {
    struct {
        uint64_t hash;   /* of the text; 0: free */
        uint32_t number; /* of the NAME */
    } items[8192];
    size_t count;
    uint32_t last; /* number of the last NAME */
};

struct tracer_recording {
    struct tracer_cupti cupti;
    struct tracer_output output;
    struct tracer_texts texts;
    struct lab_demangler demangler; /* in the program, which alone suffers from a symbol that becomes too long */
};

/* Enables the kinds of activity that are recorded; adds a note where one cannot be. */
void tracer_activity_enable(struct tracer_recording *recording);
/* Adds the record of an activity. The caller holds the lock of the output. */
void tracer_activity_add(struct tracer_recording *recording, const CUpti_Activity *activity);

#endif
