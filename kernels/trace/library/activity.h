/* Makes records of what CUPTI reports. */
#ifndef LAB_TRACER_ACTIVITY_H
#define LAB_TRACER_ACTIVITY_H

#include "cupti.h"
#include "output.h"
#include "texts.h"

struct tracer_recording {
    struct tracer_cupti cupti;
    struct tracer_output output;
    struct tracer_texts texts;
};

/* Enables the kinds of activity that are recorded; adds a note where one cannot be. */
void tracer_activity_enable(struct tracer_recording *recording);
/* Adds the record of an activity. The caller holds the lock of the output. */
void tracer_activity_add(struct tracer_recording *recording, const CUpti_Activity *activity);

#endif
