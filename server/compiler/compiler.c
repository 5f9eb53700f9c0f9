/* Compiles a source and explains how the compiler ended. */
#include "compiler.h"

#include "core/json_text.h"
#include "core/text.h"
#include "program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ANSWER_MAX = 32 << 20 };

/* --- explaining an end -------------------------------------------------------------------------------------------- */

/* The error that the compiler answered, with a code of this process's memory. */
static void copy_error(const json_t *from, struct lab_error *error)
{
    static const struct {
        const char *answered, *code;
    } codes[] = {
        {"no-compiler", "no-compiler"},         {"no-sandbox", "no-compiler"},
        {"invalid-request", "invalid-request"}, {"unknown-architecture", "unknown-architecture"},
        {"too-many-headers", "compile-limit"},
    };
    const char *answered = "", *pointer = "", *detail = "", *code = "compiler-failed";
    json_unpack((json_t *)from, "{s:s, s:s, s:s}", "code", &answered, "pointer", &pointer, "detail", &detail);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].answered, answered) == 0)
            code = codes[i].code;
    lab_error_set(error, code, pointer, "%s", detail);
}

/* Explains an end by a signal. */
static void explain_signal(const struct lab_compiler *compiler, const struct lab_exchange *exchange,
                           struct lab_error *error)
{
    static const char limit[] = "compile-limit", source[] = "/source";
    switch (WTERMSIG(exchange->process.status)) {
    case SIGXCPU:
        lab_error_set(error, limit, source, "Compiling the source takes more than %u s of processor time.",
                      compiler->options.processor_s);
        return;
    case SIGABRT:
        if (strstr(exchange->errors, "memory") != NULL) {
            lab_error_set(error, limit, source, "Compiling the source takes more than %u MiB of memory.",
                          compiler->options.memory_mib);
            return;
        }
        break;
    case SIGSEGV:
    case SIGBUS:
        lab_error_set(
            error, limit, source,
            "The source crashed NVRTC, as one does that is nested too deeply or needs more than %u MiB of memory.",
            compiler->options.memory_mib);
        return;
    default:
        break;
    }
    char end[96];
    lab_process_end_text(&exchange->process, end, sizeof end);
    lab_error_set(error, "compiler-failed", source, "The compiler %s.", end);
}

/* Explains why there is no answer. */
static void explain(const struct lab_compiler *compiler, const struct lab_exchange *exchange, struct lab_error *error)
{
    switch (exchange->end) {
    case LAB_EXCHANGE_TIMED_OUT:
        lab_error_set(error, "compile-limit", "/source", "The source was not compiled within %g s.",
                      compiler->options.time_limit_s);
        return;
    case LAB_EXCHANGE_TOO_LONG:
        lab_error_set(error, "compile-limit", "/source", "The compiler's answer is longer than %d MiB.",
                      ANSWER_MAX >> 20);
        return;
    case LAB_EXCHANGE_CANCELLED:
        lab_error_set(error, "compiler-failed", "", "The lab is stopping.");
        return;
    default:
        break;
    }
    if (WIFSIGNALED(exchange->process.status)) {
        explain_signal(compiler, exchange, error);
    } else {
        char end[96];
        lab_process_end_text(&exchange->process, end, sizeof end);
        lab_error_set(error, "compiler-failed", "", "The compiler %s without an answer that can be read. %.160s", end,
                      exchange->errors);
    }
}

/* --- compiling ---------------------------------------------------------------------------------------------------- */

/* The answer as JSON; NULL if there is none that can be read. */
static json_t *parse_answer(const struct lab_exchange *exchange)
{
    bool whole = exchange->answer != NULL && exchange->end == LAB_EXCHANGE_ENDED;
    struct lab_json_fault fault;
    json_t *answer = whole ? lab_json_parse(exchange->answer, exchange->answer_length, &fault) : NULL;
    if (json_is_object(answer))
        return answer;
    json_decref(answer);
    return NULL;
}

json_t *lab_compile(struct lab_compiler *compiler, const json_t *request, struct lab_error *error)
{
    char *text = json_dumps(request, JSON_COMPACT);
    if (text == NULL) {
        lab_error_set(error, "compiler-failed", "", "Out of memory.");
        return NULL;
    }
    struct lab_exchange exchange;
    const struct lab_exchange_call call = {.request = text, .request_size = strlen(text), .answer_max = ANSWER_MAX};
    int failed = lab_compiler_run(compiler, NULL, &call, &exchange);
    free(text);
    if (failed != 0) {
        lab_error_set(error, "no-compiler", "", "The program %s cannot be started: %s.", compiler->options.path,
                      strerrordesc_np(failed));
        return NULL;
    }
    json_t *answer = parse_answer(&exchange);
    if (answer == NULL) {
        lab_utf8_drop_invalid(exchange.errors);
        explain(compiler, &exchange, error);
    } else if (json_object_get(answer, "error") != NULL) {
        copy_error(json_object_get(answer, "error"), error);
        json_decref(answer);
        answer = NULL;
    }
    free(exchange.answer);
    return answer;
}
