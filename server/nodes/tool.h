/* Runs the tools of ssh and Slurm and keeps what they print. */
#ifndef LAB_TOOL_H
#define LAB_TOOL_H

#include "argv.h"

#include <stdatomic.h>

enum { LAB_TOOL_REASON_MAX = 200 };

struct lab_tool_result {
    char *output;                     /* on standard output, NUL-terminated; NULL: nothing. The caller frees it */
    char errors[1024];                /* the beginning of what it printed on standard error */
    char reason[LAB_TOOL_REASON_MAX]; /* why it failed: its last line of output, or what became of it; no full stop */
    bool cancelled;
};

/* Nothing is copied. */
struct lab_tool_input {
    const char *bytes;
    size_t size;
    atomic_size_t *sent; /* receives how many bytes the tool has taken so far; NULL: none */
};

/* Runs the words, with `input` as its input. Whether it ended with exit code 0 within `time_limit_s`. It is ended soon
 * after *cancelled became true (NULL: never). */
bool lab_tool_run_words(char *const *words, const struct lab_tool_input *input, double time_limit_s,
                        const atomic_bool *cancelled, struct lab_tool_result *result);

/* The same for a command line, which is taken and freed, without input. */
bool lab_tool_run(struct lab_argv *command, double time_limit_s, const atomic_bool *cancelled,
                  struct lab_tool_result *result);

#endif
