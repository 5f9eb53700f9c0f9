/* The channel between a command and the private lab that it has started: a pair of connected sockets.
 *
 * lab to command once, a struct lab_start_report, when the lab listens or cannot be started command to lab any number
 * of times, the id of the command's own run, LAB_RUN_ID_SIZE bytes
 *
 * A command that has ended, in whatever way, has closed its end. A lab that continues then for other commands closes
 * its own, so that the command does not wait for it.
 */
#ifndef LAB_PRIVATE_CHANNEL_H
#define LAB_PRIVATE_CHANNEL_H

#include "command.h"

#include "core/errors.h"

struct lab_start_report {
    enum lab_exit_code code;
    struct lab_error error; /* unless the code is LAB_EXIT_OK */
};

#endif
