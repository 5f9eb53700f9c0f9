/* For tests of misuse that aborts the process. */
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

#endif
