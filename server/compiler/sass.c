/* Runs gpulab-compiler --disassemble, and explains why there is no SASS. */
#include "core/base64.h"
#include "core/symbols.h"
#include "core/text.h"
#include "program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SASS_MAX = 4 << 20 };

/* The SASS that nvdisasm has written, cut where it is too long, with the names for the symbols, as a new reference;
 * NULL if nvdisasm failed. */
static json_t *read_sass(struct lab_exchange *exchange, const json_t *names)
{
    static const char rest[] = "// The rest is left out: the SASS is longer than 4 MiB.\n";
    bool whole = exchange->end == LAB_EXCHANGE_ENDED && exchange->process.status == 0;
    if (exchange->answer == NULL || (!whole && exchange->end != LAB_EXCHANGE_TOO_LONG))
        return NULL;
    char *text = exchange->answer;
    if (!whole) {
        text[exchange->answer_length - sizeof rest] = '\0';
        char *newline = strrchr(text, '\n');
        strcpy(newline != NULL ? newline + 1 : text, rest);
    }
    lab_utf8_drop_invalid(text);
    char *named = lab_symbols_replace(text, names, SASS_MAX);
    json_t *sass = json_string(named != NULL ? named : text);
    free(named);
    return sass;
}

static void explain(const struct lab_compiler *compiler, struct lab_exchange *exchange, char *why, size_t size)
{
    int status = exchange->process.status;
    char end[96];
    lab_utf8_drop_invalid(exchange->errors);
    exchange->errors[strcspn(exchange->errors, "\n")] = '\0';
    lab_process_end_text(&exchange->process, end, sizeof end);
    if (exchange->end == LAB_EXCHANGE_TIMED_OUT)
        snprintf(why, size, "nvdisasm did not end within %g s.", compiler->options.time_limit_s);
    else if (exchange->end == LAB_EXCHANGE_CANCELLED)
        snprintf(why, size, "The lab is stopping.");
    else if (exchange->end == LAB_EXCHANGE_TOO_LONG)
        snprintf(why, size, "There is not enough memory for it.");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        snprintf(why, size, "nvdisasm takes more than %u s of processor time.", compiler->options.processor_s);
    else
        snprintf(why, size, "nvdisasm %s.%s%.160s", end, exchange->errors[0] != '\0' ? " " : "", exchange->errors);
}

/* Has the cubin of an answer disassembled. Returns a new reference, or NULL with the reason in `why`. */
static json_t *disassemble(struct lab_compiler *compiler, const json_t *answer, char *why, size_t size)
{
    const json_t *cubin = json_object_get(answer, "cubin");
    struct lab_exchange exchange;
    struct lab_exchange_call call = {.answer_max = SASS_MAX};
    unsigned char *bytes;
    if (!lab_base64_decode(json_string_value(cubin), json_string_length(cubin), &bytes, &call.request_size)) {
        snprintf(why, size, "The compiled code cannot be read.");
        return NULL;
    }
    call.request = (const char *)bytes;
    int failed = lab_compiler_run(compiler, "--disassemble", &call, &exchange);
    free(bytes);
    if (failed != 0) {
        snprintf(why, size, "%s cannot be started: %s.", compiler->options.path, strerrordesc_np(failed));
        return NULL;
    }
    json_t *sass = read_sass(&exchange, json_object_get(answer, "names"));
    if (sass == NULL)
        explain(compiler, &exchange, why, size);
    free(exchange.answer);
    return sass;
}

void lab_compiler_add_sass(struct lab_compiler *compiler, json_t *answer)
{
    if (!json_is_string(json_object_get(answer, "cubin")) ||
        !json_is_true(json_object_get(json_object_get(answer, "compiler"), "sass")))
        return;
    char why[LAB_DETAIL_MAX];
    json_t *sass = disassemble(compiler, answer, why, sizeof why);
    if (sass != NULL)
        json_object_set_new(answer, "sass", sass);
    else
        json_array_append_new(
            json_object_get(answer, "messages"),
            json_pack("{s:s, s:o}", "severity", "note", "text", json_sprintf("There is no SASS: %s", why)));
}
