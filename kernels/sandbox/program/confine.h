/* What a process takes from itself before it becomes the program. */
#ifndef LAB_CONFINE_H
#define LAB_CONFINE_H

#include "settings.h"

/* Becomes the program. If something fails, writes why to the pipe `failure`, LAB_SANDBOX_DETAIL_MAX bytes, and
 * exits. */
_Noreturn void lab_confine(const struct lab_sandbox_settings *settings, int failure);

#endif
