/* The process between the caller and the program: it starts the program, watches all its processes, and ends what is
 * left of them. */
#ifndef LAB_SUPERVISE_H
#define LAB_SUPERVISE_H

#include "sandbox/report.h"
#include "settings.h"

/* Runs the program; returns when no process of it is left. `report->stage` is ENDED or REFUSED. */
void lab_supervise(const struct lab_sandbox_settings *settings, struct lab_sandbox_report *report);

/* Sends a report, where the process is --reported. */
void lab_report_send(const struct lab_sandbox_settings *settings, const struct lab_sandbox_report *report);

#endif
