/* Declarations shared by the files of `gpulab watch`. */
#ifndef LAB_WATCH_H
#define LAB_WATCH_H

#include "client_command.h"

/* Follows all queued and running runs until none is left, and prints a line for each that ends. Returns LAB_EXIT_OK if
 * all of them succeeded, the exit code of the first one that did not, or that of an error, which is printed. */
enum lab_exit_code lab_watch_queue(struct lab_context *context);

#endif
