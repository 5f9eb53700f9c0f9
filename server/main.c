/* gpulab: a lab for GPUs behind one HTTP address. The first word of the command line selects a command from the table
 * below; `serve` is in service/, the others are in client/commands.
 */
#include "cli/command.h"
#include "client/commands/commands.h"
#include "core/build.h"
#include "core/suggestion.h"
#include "core/text.h"
#include "service/examine_machine.h"
#include "service/private_service.h"
#include "service/serve.h"
#include "service/verify_copy.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name, *summary; /* summary: one line for `gpulab --help` */
    int (*main)(const struct lab_invocation *invocation);
};

static const struct command commands[] = {
    {"serve", "run a lab: HTTP API, web page and queue", lab_command_serve},
    {"run", "run an experiment, a subject or all, and print the results", lab_command_run},
    {"compile", "compile the kernels of a source file, without a GPU", lab_command_compile},
    {"kernel", "measure a kernel of one's own from its source file", lab_command_kernel},
    {"program", "execute a whole program of one's own, and see what it does", lab_command_program},
    {"sweep", "run an experiment with many values of its parameters", lab_command_sweep},
    {"runs", "list runs of the history", lab_command_runs},
    {"show", "print a run of the history", lab_command_show},
    {"explain", "say what limits a point of a run, and what is known of it", lab_command_explain},
    {"watch", "follow a run, or the queue, to its end", lab_command_watch},
    {"cancel", "cancel queued or running runs", lab_command_cancel},
    {"delete", "delete runs and their results", lab_command_delete},
    {"tag", "add tags to a run, or remove some", lab_command_tag},
    {"pin", "keep a run as a baseline", lab_command_pin},
    {"unpin", "keep a run no longer as a baseline", lab_command_unpin},
    {"publish", "show all of a run to everyone (serve --anonymous)", lab_command_publish},
    {"unpublish", "show all of a run no longer to everyone", lab_command_unpublish},
    {"compare", "compare two runs point by point", lab_command_compare},
    {"export", "write runs to a file", lab_command_export},
    {"import", "add the runs of a file", lab_command_import},
    {"backup", "copy the database of a lab", lab_command_backup},
    {"token", "add, list or revoke the tokens of a lab", lab_command_token},
    {"channel", "add, list, test or delete channels by which people are told", lab_command_channel},
    {"alert", "choose what is watched, and who is told", lab_command_alert},
    {"challenge", "show challenges, submit to one, or publish one", lab_command_challenge},
    {"doctor", "examine this machine: what works, is missing, disturbs", lab_command_doctor},
    {"health", "check whether the devices of this machine are sound", lab_command_health},
    {"devices", "list the devices, or show one", lab_command_devices},
    {"nodes", "list the machines of the lab, or show one", lab_command_nodes},
    {"experiments", "list the experiments by subject, or explain one", lab_command_experiments},
    {0},
};

static void print_usage(FILE *out)
{
    fprintf(
        out,
        "gpulab %s: runs experiments on GPUs and serves their results over HTTP\n\nUsage: gpulab COMMAND [OPTIONS]\n\nCommands\n",
        lab_build.version);
    for (const struct command *command = commands; command->name != NULL; command++)
        fprintf(out, "  %-12s %s\n", command->name, command->summary);
    fprintf(out,
            "\n'gpulab COMMAND --help' lists the options of a command, 'gpulab run EXPERIMENT --help' also the\n"
            "parameters of an experiment. 'gpulab --version' prints version and commit.\n");
}

static const struct command *find(const char *name)
{
    for (const struct command *command = commands; command->name != NULL; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* Client and service do not know each other: what a command needs of the service is passed to it. */
static int call(const struct command *command, int argc, char **argv)
{
    return command->main(
        &(struct lab_invocation){argc, argv, lab_private_service_run, lab_verify_copy, lab_examine_machine});
}

static int usage_error(const char *name)
{
    char near[LAB_SUGGESTION_SIZE];
    struct lab_suggestion suggestion = {.given = name, .length = strlen(name)};
    for (const struct command *command = commands; command->name != NULL; command++)
        lab_suggestion_consider(&suggestion, command->name);
    fprintf(stderr, "gpulab: unknown command '%s'.%s\n\n", name, lab_suggestion_text(&suggestion, near));
    print_usage(stderr);
    return LAB_EXIT_USAGE;
}

/* Runs `gpulab help [COMMAND]`, which is the same as `gpulab [COMMAND] --help`. */
static int help(int argc, char **argv)
{
    char flag[] = "--help";
    char *arguments[] = {argc > 2 ? argv[2] : NULL, flag, NULL};
    if (argc <= 2) {
        print_usage(stdout);
        return LAB_EXIT_OK;
    }
    const struct command *command = find(argv[2]);
    return command != NULL ? call(command, 2, arguments) : usage_error(argv[2]);
}

static int print_version(void)
{
    printf("gpulab %s (%s, %s, %s)\n", lab_build.version, lab_build.commit, lab_build.type, lab_build.compiler);
    return LAB_EXIT_OK;
}

/* Opens stdin, stdout and stderr where the caller has closed them, so that no file that is opened later gets one of
 * their descriptors. */
static void open_standard_files(void)
{
    int file;
    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    close(file);
}

/* Whether every argument is valid UTF-8, because libraries refuse other text and would leave it out. Prints the first
 * that is not, with a question mark for each invalid byte. */
static bool check_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!lab_utf8_is_valid(argv[i], strlen(argv[i]))) {
            lab_utf8_replace_invalid(argv[i]);
            fprintf(stderr, "gpulab: argument %d is not valid UTF-8: '%s'\n", i, argv[i]);
            return false;
        }
    return true;
}

/* Runs what the first argument names. Returns its exit code. */
static int run(int argc, char **argv)
{
    const char *name = argv[1];
    if (strcmp(name, "help") == 0)
        return help(argc, argv);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(1, argv);
    if (strcmp(name, "--version") == 0)
        return print_version();
    const struct command *command = find(name);
    return command != NULL ? call(command, argc - 1, argv + 1) : usage_error(name);
}

int main(int argc, char **argv)
{
    open_standard_files();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the file size limit fails instead, and the store reports it */
    if (argc < 2) {
        print_usage(stderr);
        return LAB_EXIT_USAGE;
    }
    return check_arguments(argc, argv) ? lab_output_finish(run(argc, argv)) : LAB_EXIT_USAGE;
}
