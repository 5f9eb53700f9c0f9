/* The titles of the reasons for which runs fail. */
#include "problem.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *code, *title;
} titles[] = {
    {"worker-start", "The worker process could not be started"},
    {"node-unreachable", "The machine cannot be reached"},
    {"worker-silent", "The worker process did not respond"},
    {"worker-died", "The worker process died"},
    {"worker-protocol", "The worker process sent invalid data"},
    {"worker-stuck", "The worker process cannot be killed"},
    {"device-unavailable", "Device unavailable"},
    {"time-limit", "Time limit reached"},
    {"no-result", "Nothing was measured"},
    {"no-sanitizer", "compute-sanitizer is missing"},
    {"cancelled", "The worker process had to be killed"},
    {"interrupted", "Interrupted"},
    {"out-of-memory", "Out of memory"},
};

static const char *title_of(const char *code)
{
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(titles[i].code, code) == 0)
            return titles[i].title;
    return "Unknown failure";
}

json_t *lab_problem_json(const char *code, const char *detail, const char *log)
{
    char type[80];
    snprintf(type, sizeof type, "/problems/%s", code);
    json_t *object = json_pack("{s:s, s:s, s:s}", "type", type, "title", title_of(code), "detail", detail);
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
