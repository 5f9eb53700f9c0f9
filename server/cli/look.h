/* Commands that only look: options they share, and opening a session for them.
 */
#ifndef LAB_LOOK_H
#define LAB_LOOK_H

#include "session.h"

struct lab_look {
    struct lab_config config;
    bool json;
    struct lab_arguments arguments;
};

/* Reads the command line of a command that takes at most one word. LAB_EXIT_OK, or the exit code after what is wrong has
 * been said; with --help, `usage` has been printed and look->arguments.help is set. */
enum lab_exit_code lab_look_parse(struct lab_look *look, int argc, char **argv, const char *usage);

#endif
