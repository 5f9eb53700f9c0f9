/* What a trace shows, in sentences with their numbers. */
#ifndef LAB_TRACE_FINDINGS_H
#define LAB_TRACE_FINDINGS_H

#include "trace/read.h"

#include <jansson.h>

/* [{name, text, lesson}] of a finished trace: the rules (rules.h) that hold, what concerns the most time first; none
 * where none holds. `lesson` is the experiment that explains the rule. They are about the device that worked the
 * longest. `link_gb_per_s` is the bandwidth between host and device; 0: not known. A new reference; NULL when out of
 * memory. */
json_t *lab_trace_findings(const struct lab_trace *trace, double link_gb_per_s);

#endif
