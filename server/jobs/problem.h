/* Why a run failed, as its document has it. */
#ifndef LAB_PROBLEM_H
#define LAB_PROBLEM_H

#include "core/error_json.h"

/* {type, title, detail, log?}, a new reference. `log` may be "". */
json_t *lab_problem_json(enum lab_error_code code, const char *detail, const char *log);
/* Makes the detail say which machine the problem is about. */
void lab_problem_name_machine(json_t *problem, const char *machine);

#endif
