/* gpulab: a lab for GPUs behind one HTTP address. This is where a reader begins: the first word of the command line
 * picks a command from the table, and the command does the rest (cli/).
 */
#include "cli/command.h"
#include "core/build.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct lab_command commands[] = {
    {"serve", "serve the lab over HTTP until it is told to stop", lab_command_serve},
    {"run", "run an experiment, or all of them, and print what was measured", lab_command_run},
    {"devices", "list the devices, or all that is known of one", lab_command_devices},
    {"experiments", "list the experiments, or explain one", lab_command_experiments},
    {0},
};

static void print_usage(FILE *out)
{
    fprintf(out, "gpulab %s: a lab for GPUs behind one HTTP address\n\nUsage: gpulab COMMAND [OPTIONS]\n\nCommands\n",
            lab_build.version);
    for (const struct lab_command *command = commands; command->name != NULL; command++)
        fprintf(out, "  %-12s %s\n", command->name, command->summary);
    fprintf(out,
            "\n'gpulab COMMAND --help' tells more, 'gpulab run EXPERIMENT --help' lists an experiment's parameters,\n"
            "'gpulab --version' says which build this is.\n");
}

static const struct lab_command *find(const char *name)
{
    for (const struct lab_command *command = commands; command->name != NULL; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static int usage_error(const char *name)
{
    fprintf(stderr, "gpulab: there is no command '%s'.\n\n", name);
    print_usage(stderr);
    return LAB_EXIT_USAGE;
}

/* gpulab help [COMMAND] */
static int help(int argc, char **argv)
{
    char flag[] = "--help";
    char *arguments[] = {argc > 2 ? argv[2] : NULL, flag, NULL};
    if (argc <= 2) {
        print_usage(stdout);
        return LAB_EXIT_OK;
    }
    const struct lab_command *command = find(argv[2]);
    return command != NULL ? command->main(2, arguments) : usage_error(argv[2]);
}

static int print_version(void)
{
    printf("gpulab %s (%s, %s, %s)\n", lab_build.version, lab_build.commit, lab_build.type, lab_build.compiler);
    return LAB_EXIT_OK;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its write, and the store says so */
    if (argc < 2) {
        print_usage(stderr);
        return LAB_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0)
        return help(argc, argv);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(1, argv);
    if (strcmp(name, "--version") == 0)
        return print_version();
    const struct lab_command *command = find(name);
    return command != NULL ? command->main(argc - 1, argv + 1) : usage_error(name);
}
