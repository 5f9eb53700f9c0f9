/* Executes a compiler or a program in the sandbox of its folder. */
#ifndef LAB_PROGRAM_EXECUTE_H
#define LAB_PROGRAM_EXECUTE_H

#include "output.h"
#include "program_files.h"
#include "results.h"
#include "tracing.h"

/* Bytes that were collected, followed by NUL; NULL: none. */
struct program_bytes {
    char *bytes;
    size_t size, capacity;
};

/* The program of a run, or of its base. */
struct program {
    struct lab_run *run;
    struct program_output *output; /* that of the run, which its base shares */
    struct program_folder folder;  /* private */
    bool calls_cuda;               /* a command, or one of its files is compiled by nvcc */
    struct program_bytes compiled; /* what its compilers have printed */
    struct lab_tracer tracer;
    json_t *command; /* the command of the machine (commands.h); NULL: it is built of files */
    struct program_results results;
    bool waived;                               /* an execution ended with the exit code that says so (run.c) */
    size_t executions;                         /* that were measured */
    struct program_samples elapsed, processor; /* seconds of each execution */
};

struct program_call {
    char *const *arguments;          /* the path of the program first; ends with NULL */
    const char *const *readable;     /* further files and folders that it reads; ends with NULL; NULL: none */
    bool is_compiler;                /* it gets no devices, and its output is that of a compiler */
    bool silent;                     /* its output is not kept */
    const struct lab_tracer *tracer; /* records what the program does on the GPU; NULL: nothing is recorded */
    const char *counters; /* what the tracer counts instead (LAB_TRACE_VARIABLE_COUNTERS); NULL: it records activity */
    bool prints_results;  /* what it prints to its standard output is wanted */
    const char *input;    /* its standard input; NULL: nothing */
    double limit_s;
    char folder[PATH_MAX]; /* of a command of the machine: the first of `readable` */
};

struct program_end {
    int code;        /* its exit code; -1: it did not exit */
    char text[1024]; /* how it ended, as "exited with code 3" */
    double elapsed_s, processor_s;
    int signal;                                   /* that ended it; 0: it exited */
    int64_t ended_ns;                             /* ns since 1970 */
    struct program_bytes given, printed, records; /* what was wanted: results, output, and the records of the tracer */
};

/* Executes a call, and returns when nothing of it is left. Returns false with run->error set if it could not be
 * executed, was cancelled, or reached its limit; *end is set in either case. */
bool program_execute(struct program *program, const struct program_call *call, struct program_end *end);
void program_end_release(struct program_end *end);

/* Finds what protects this machine from the programs that it executes, as
 * {"protection":"bubblewrap|landlock","user","cgroup_memory", "cgroup_tasks"}: the user that they are, null for that of
 * this process; whether a cgroup limits memory and tasks. A new reference; NULL with *error set if nothing protects it:
 * then no program may be executed. `user`: as in lab_run.program_user. To be called before program_execute. */
json_t *program_sandbox(const char *user, struct lab_error *error);

#endif
