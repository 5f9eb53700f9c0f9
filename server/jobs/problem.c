/* Why a run failed, as its document has it. */
#include "problem.h"

json_t *lab_problem_json(enum lab_error_code code, const char *detail, const char *log)
{
    json_t *object = lab_error_problem(code);
    json_object_set_new(object, "detail", json_string(detail));
    if (log[0] != '\0')
        json_object_set_new(object, "log", json_string(log));
    return object;
}

void lab_problem_name_machine(json_t *problem, const char *machine)
{
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    json_object_set_new(
        problem, "detail",
        json_sprintf("On %s: %s", machine, detail != NULL ? detail : "The worker process gave no reason."));
}
