/* Reads hardware counters while each kernel of the program runs, instead of recording its activity. The launches of the
 * context that launches first are counted, one at a time: before and after each, the host waits until the context is
 * idle. The profiler is opened at the first launch, when the driver is initialised. */
#ifndef LAB_TRACER_COUNTING_H
#define LAB_TRACER_COUNTING_H

#include "texts.h"

/* Begins to count what LAB_TRACE_VARIABLE_COUNTERS lists, as far as it fits into one pass. What prevents it becomes a
 * note; the program runs all the same. */
void tracer_counting_start(struct tracer_texts *texts, struct tracer_output *output, const char *counters);
/* Writes what was counted, and lets go of the device. */
void tracer_counting_end(void);

#endif
