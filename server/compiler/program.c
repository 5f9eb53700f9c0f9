/* Creates, stops and runs. */
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Each process can need much memory. */
enum { PROCESSES_MAX = 4 };

static unsigned process_count(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors < PROCESSES_MAX ? (unsigned)processors : PROCESSES_MAX;
}

struct lab_compiler *lab_compiler_create(const struct lab_compiler_options *options)
{
    struct lab_compiler *compiler = calloc(1, sizeof *compiler);
    if (compiler == NULL)
        return NULL;
    compiler->options = *options;
    if (compiler->options.time_limit_s <= 0)
        compiler->options.time_limit_s = 120;
    if (compiler->options.processor_s == 0)
        compiler->options.processor_s = 20;
    if (compiler->options.memory_mib == 0)
        compiler->options.memory_mib = 4096;
    sem_init(&compiler->turns, 0, process_count());
    atomic_init(&compiler->stopping, false);
    return compiler;
}

void lab_compiler_stop(struct lab_compiler *compiler)
{
    if (compiler != NULL)
        atomic_store(&compiler->stopping, true);
}

void lab_compiler_free(struct lab_compiler *compiler)
{
    if (compiler != NULL)
        sem_destroy(&compiler->turns);
    free(compiler);
}

int lab_compiler_run(struct lab_compiler *compiler, const char *mode, const struct lab_exchange_call *call,
                     struct lab_exchange *exchange)
{
    const struct lab_compiler_options *options = &compiler->options;
    char seconds[16], memory[16];
    snprintf(seconds, sizeof seconds, "%u", options->processor_s);
    snprintf(memory, sizeof memory, "%u", options->memory_mib);
    const char *const arguments[] = {options->path, "--processor-seconds", seconds, "--memory-mib", memory, mode, NULL};
    struct lab_exchange_call limited = *call;
    limited.path = options->path;
    limited.arguments = (char *const *)arguments;
    limited.time_limit_s = options->time_limit_s;
    limited.cancel = &compiler->stopping;
    while (sem_wait(&compiler->turns) != 0 && errno == EINTR)
        continue;
    int failed = lab_exchange_run(exchange, &limited);
    sem_post(&compiler->turns);
    return failed;
}
