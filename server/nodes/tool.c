/* Running a tool, and explaining why it failed. */
#include "tool.h"

#include "core/text.h"
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Enough for sinfo on a cluster of several thousand nodes. */
enum { OUTPUT_MAX = 4 << 20 };

/* Copies the last line that is not empty; "" when there is none. */
static void copy_last_line(const char *text, char *line, size_t size)
{
    size_t end = strlen(text);
    while (end > 0 && strchr("\r\n ", text[end - 1]) != NULL)
        end--;
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    while (end > start && (text[end - 1] == '.'))
        end--;
    snprintf(line, size, "%.*s", (int)(end - start), text + start);
    lab_utf8_drop_invalid(line);
}

static void explain(const char *tool, const struct lab_exchange *exchange, double time_limit_s,
                    struct lab_tool_result *result)
{
    char *reason = result->reason;
    char end[96];
    if (exchange->end == LAB_EXCHANGE_TIMED_OUT)
        snprintf(reason, LAB_TOOL_REASON_MAX, "%s did not answer within %g s", tool, time_limit_s);
    else if (exchange->end == LAB_EXCHANGE_TOO_LONG)
        snprintf(reason, LAB_TOOL_REASON_MAX, "the output of %s is longer than %d MiB", tool, OUTPUT_MAX >> 20);
    else if (exchange->end == LAB_EXCHANGE_CANCELLED)
        snprintf(reason, LAB_TOOL_REASON_MAX, "%s was cancelled", tool);
    else
        copy_last_line(exchange->errors, reason, LAB_TOOL_REASON_MAX);
    if (reason[0] != '\0')
        return;
    lab_process_end_text(&exchange->process, end, sizeof end);
    snprintf(reason, LAB_TOOL_REASON_MAX, "%s %s", tool, end);
}

bool lab_tool_run_words(char *const *words, const struct lab_tool_input *input, double time_limit_s,
                        const atomic_bool *cancelled, struct lab_tool_result *result)
{
    *result = (struct lab_tool_result){0};
    const struct lab_exchange_call call = {.path = words[0],
                                           .arguments = words,
                                           .request = input->bytes,
                                           .request_size = input->size,
                                           .sent = input->sent,
                                           .answer_max = OUTPUT_MAX,
                                           .time_limit_s = time_limit_s,
                                           .cancel = cancelled};
    struct lab_exchange exchange;
    int failed = lab_exchange_run(&exchange, &call);
    bool good = failed == 0 && exchange.end == LAB_EXCHANGE_ENDED && exchange.process.status == 0;
    if (failed != 0) {
        snprintf(result->reason, sizeof result->reason, "%s cannot be started: %s", words[0], strerrordesc_np(failed));
    } else {
        result->output = exchange.answer;
        snprintf(result->errors, sizeof result->errors, "%s", exchange.errors);
        result->cancelled = exchange.end == LAB_EXCHANGE_CANCELLED;
        if (!good)
            explain(words[0], &exchange, time_limit_s, result);
    }
    return good;
}

bool lab_tool_run(struct lab_argv *command, double time_limit_s, const atomic_bool *cancelled,
                  struct lab_tool_result *result)
{
    static const struct lab_tool_input nothing = {.bytes = ""};
    char **words = lab_argv_take(command);
    bool good = words != NULL && lab_tool_run_words(words, &nothing, time_limit_s, cancelled, result);
    if (words == NULL)
        *result = (struct lab_tool_result){.reason = "no memory for the command line"};
    lab_argv_free(words);
    return good;
}
