/* Compiles a source and explains how the compiler ended. */
#include "compiler.h"

#include "core/error_json.h"
#include "core/json_text.h"
#include "core/text.h"
#include "program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ANSWER_MAX = 32 << 20 };

/* --- explaining an end -------------------------------------------------------------------------------------------- */

/* The code by which callers know what the compiler answered. */
static enum lab_error_code code_of_answer(enum lab_error_code answered)
{
    switch (answered) {
    case LAB_ERROR_NO_COMPILER:
    case LAB_ERROR_INVALID_REQUEST:
    case LAB_ERROR_UNKNOWN_ARCHITECTURE:
        return answered;
    case LAB_ERROR_NO_SANDBOX:
        return LAB_ERROR_NO_COMPILER;
    case LAB_ERROR_TOO_MANY_HEADERS:
        return LAB_ERROR_COMPILE_LIMIT;
    default:
        return LAB_ERROR_COMPILER_FAILED;
    }
}

/* Explains an end by a signal. */
static void explain_signal(const struct lab_compiler *compiler, const struct lab_exchange *exchange,
                           struct lab_error *error)
{
    static const enum lab_error_code limit = LAB_ERROR_COMPILE_LIMIT;
    static const char source[] = "/source";
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
    lab_error_set(error, LAB_ERROR_COMPILER_FAILED, source, "The compiler %s.", end);
}

/* Explains why there is no answer. */
static void explain(const struct lab_compiler *compiler, const struct lab_exchange *exchange, struct lab_error *error)
{
    switch (exchange->end) {
    case LAB_EXCHANGE_TIMED_OUT:
        lab_error_set(error, LAB_ERROR_COMPILE_LIMIT, "/source", "The source was not compiled within %g s.",
                      compiler->options.time_limit_s);
        return;
    case LAB_EXCHANGE_TOO_LONG:
        lab_error_set(error, LAB_ERROR_COMPILE_LIMIT, "/source", "The compiler's answer is longer than %d MiB.",
                      ANSWER_MAX >> 20);
        return;
    case LAB_EXCHANGE_CANCELLED:
        lab_error_set(error, LAB_ERROR_COMPILER_FAILED, "", "The lab is stopping.");
        return;
    default:
        break;
    }
    if (WIFSIGNALED(exchange->process.status)) {
        explain_signal(compiler, exchange, error);
    } else {
        char end[96];
        lab_process_end_text(&exchange->process, end, sizeof end);
        lab_error_set(error, LAB_ERROR_COMPILER_FAILED, "",
                      "The compiler %s without an answer that can be read. %.160s", end, exchange->errors);
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
        lab_error_set(error, LAB_ERROR_COMPILER_FAILED, "", "Out of memory.");
        return NULL;
    }
    struct lab_exchange exchange;
    const struct lab_exchange_call call = {.request = text, .request_size = strlen(text), .answer_max = ANSWER_MAX};
    int failed = lab_compiler_run(compiler, NULL, &call, &exchange);
    free(text);
    if (failed != 0) {
        lab_error_set(error, LAB_ERROR_NO_COMPILER, "", "The program %s cannot be started: %s.", compiler->options.path,
                      strerrordesc_np(failed));
        return NULL;
    }
    json_t *answer = parse_answer(&exchange);
    if (answer == NULL) {
        lab_utf8_drop_invalid(exchange.errors);
        explain(compiler, &exchange, error);
    } else if (json_object_get(answer, "error") != NULL) {
        lab_error_read(json_object_get(answer, "error"), error);
        error->code = code_of_answer(error->code);
        json_decref(answer);
        answer = NULL;
    }
    free(exchange.answer);
    return answer;
}
