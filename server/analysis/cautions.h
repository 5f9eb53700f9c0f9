/* What casts doubt on the value of a measurement: its cautions, in words. API.md gives their bounds, METHOD.md 21 how
 * often they hold without a cause. Every place that shows cautions has them from here. That the whole run was contended
 * is not among them.
 */
#ifndef LAB_CAUTIONS_H
#define LAB_CAUTIONS_H

#include <jansson.h>

/* The cautions of a measurement (core/result_members.h), most severe first: [{name, text}], where `name` is one word
 * and `text` a sentence. Empty if there are none, and of a measurement that was skipped. A new reference. */
json_t *lab_cautions_of(const json_t *measurement);
extern const char *const lab_caution_names[]; /* ends with NULL */

#endif
