#include "passes.h"

#include "call.h"
#include "counting.h"

#include <stdio.h>

/* Executes the program for a pass of these counters. Returns false with *error set, whose code is "cancelled" if the
 * run is. */
static bool count_pass(struct program *program, struct program_counting *counting, const char *counters,
                       struct lab_error *error)
{
    struct lab_run *run = program->run;
    struct program_end end = {0};
    struct program_call call;
    bool good = program_call_prepare(program, &call);
    call.silent = true;
    call.tracer = &program->tracer;
    call.counters = counters;
    good = good && program_execute(program, &call, &end);
    if (!good)
        *error = run->error;
    else if (end.code != 0)
        good = lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "while it was counted, the program %s", end.text);
    good = good && program_trace_count(counting, run, end.records.bytes, end.records.size, error);
    program_end_release(&end);
    program_call_release(&call);
    return good;
}

static bool count_passes(struct program *program, struct program_counting *counting, const struct lab_run *head,
                         struct lab_error *error)
{
    char counters[PROGRAM_COUNTERS_SIZE], label[64];
    while (program_counting_next(counting, counters)) {
        snprintf(label, sizeof label, "reading hardware counters, pass %zu", counting->passes + 1);
        head->sink.progress(head->sink.context, counting->passes, PROGRAM_PASSES_MAX, label);
        if (!count_pass(program, counting, counters, error))
            return false;
    }
    return true;
}

bool program_count(struct program *program, const struct lab_run *head)
{
    struct lab_run *run = program->run;
    struct program_counting counting;
    struct lab_error error = {0};
    char text[LAB_DETAIL_MAX + 64];
    program_counting_init(&counting);
    bool good = count_passes(program, &counting, head, &error), cancelled = !good && error.code == LAB_ERROR_CANCELLED;
    if (good) {
        program_counting_send(&counting, run);
    } else if (!cancelled) {
        snprintf(text, sizeof text, "no hardware counters: %s", error.detail);
        run->sink.note(run->sink.context, text);
        run->error = (struct lab_error){0};
    }
    program_counting_release(&counting);
    return !cancelled;
}
