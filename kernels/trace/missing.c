#include "trace/missing.h"

#include "core/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct sentences {
    void (*sentence)(void *context, const char *text);
    void *context;
};

__attribute__((format(printf, 2, 3))) static void say(const struct sentences *to, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    to->sentence(to->context, text);
}

/* Why the records of the program's only process do not end, as the beginning of a sentence. */
static void cause_text(int signal, char *text, size_t size)
{
    const char *name = sigabbrev_np(signal);
    if (signal == 0)
        snprintf(text, size, "The program did not end by exit(), or its last records could not be handed over");
    else if (name != NULL)
        snprintf(text, size, "The program was ended by SIG%s", name);
    else
        snprintf(text, size, "The program was ended by signal %d", signal);
}

static void say_unfinished(const struct sentences *to, const struct lab_trace *trace,
                           const struct lab_trace_process *process, struct lab_trace_ending ending)
{
    static const char held[] =
        "and of what was before, calls and work that CUPTI held back because other work was still running";
    char cause[128], time[LAB_FORMAT_SIZE];
    int64_t since_ns = ending.at_ns - trace->origin_ns - process->flushed_ns;
    if (trace->process_count == 1)
        cause_text(ending.signal, cause, sizeof cause);
    else
        snprintf(cause, sizeof cause,
                 "Process %" PRIu32 " did not end by exit(), or its last records could not be handed over",
                 process->id);
    if (trace->process_count == 1 && ending.at_ns != 0 && since_ns >= 0)
        say(to, "%s. What happened in its last %s is missing, %s.", cause,
            lab_format_seconds((double)since_ns / 1e9, time), held);
    else
        say(to,
            "%s. What happened after its records were last written, %s after the start of the program, is missing, %s.",
            cause, lab_format_seconds((double)process->flushed_ns / 1e9, time), held);
}

static bool is_of_launches(size_t reason)
{
    return reason == LAB_TRACE_LOSS_CONTEXT || reason == LAB_TRACE_LOSS_CAPTURE;
}

static void say_lost(const struct sentences *to, const struct lab_trace *trace)
{
    static const char *const reasons[LAB_TRACE_LOSSES] = {
        [LAB_TRACE_LOSS_LIMIT] = "the trace had reached its limit of bytes",
        [LAB_TRACE_LOSS_READER] = "they could not be handed over in time",
        [LAB_TRACE_LOSS_CUPTI] = "CUPTI dropped them",
        [LAB_TRACE_LOSS_UNTIMED] = "CUPTI had no times for them",
        [LAB_TRACE_LOSS_CONTEXT] = "they are in another context than the first one",
        [LAB_TRACE_LOSS_CAPTURE] =
            "a CUDA graph was captured meanwhile, whose kernels are counted when it is launched"};
    for (size_t reason = 0; reason < LAB_TRACE_LOSSES; reason++) {
        uint64_t lost = 0;
        bool is_exact = true;
        for (size_t i = 0; i < trace->process_count; i++) {
            uint64_t of_process = trace->processes[i].lost[reason];
            lost = lost + of_process < lost ? UINT64_MAX : lost + of_process;
            is_exact = is_exact && (of_process == 0 || trace->processes[i].has_ended);
        }
        if (lost > 0)
            say(to, "%s: %s%" PRIu64 ", because %s.",
                is_of_launches(reason) ? "Launches without hardware counters" : "Records that are missing",
                is_exact ? "" : "at least ", lost, reasons[reason]);
    }
}

void lab_trace_missing(const struct lab_trace *trace, struct lab_trace_ending ending,
                       void (*sentence)(void *context, const char *text), void *context)
{
    struct sentences to = {sentence, context};
    for (size_t i = 0; i < trace->note_count; i++)
        sentence(context, trace->notes[i]);
    if (trace->process_count == 0 && !trace->is_damaged)
        say(&to, "Nothing was recorded: the program did not initialise CUDA, or did not load the tracer.");
    for (size_t i = 0; i < trace->process_count; i++)
        if (!trace->processes[i].has_ended)
            say_unfinished(&to, trace, &trace->processes[i], ending);
    say_lost(&to, trace);
    if (trace->left_out > 0)
        say(&to, "Records that are missing: %" PRIu64 ", because at most %zu are kept.", trace->left_out,
            trace->records_max);
    if (trace->impossible > 0)
        say(&to, "Records that are missing: %" PRIu64 ", because their times cannot be.", trace->impossible);
    if (trace->is_damaged)
        say(&to, "The records are damaged after byte %" PRIu64 "; what follows was not read.", trace->bytes_read);
    else if (trace->out_of_memory)
        say(&to, "What follows byte %" PRIu64 " of the records was not read: out of memory.", trace->bytes_read);
}
