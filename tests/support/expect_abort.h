/* For tests of what ends the process. */
#ifndef LAB_EXPECT_ABORT_H
#define LAB_EXPECT_ABORT_H

#include "support/test.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls `misuse` in a child process and expects it to be aborted with a message that contains `named`. */
void expect_abort(void (*misuse)(void), const char *named);

/* Calls `act` in a child process and expects it to print the message to stderr, nothing else, and to exit with 1. */
void expect_failure(void (*act)(void), const char *message);

#endif
