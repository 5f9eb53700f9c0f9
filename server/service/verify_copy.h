/* Checks a file that a command has downloaded. The command gets the function from main.c, because it does not know the
 * store. */
#ifndef LAB_VERIFY_COPY_H
#define LAB_VERIFY_COPY_H

#include "cli/command.h"

lab_copy_verifier lab_verify_copy;

#endif
