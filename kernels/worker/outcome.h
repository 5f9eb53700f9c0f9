/* Decides how a run has ended. */
#ifndef LAB_OUTCOME_H
#define LAB_OUTCOME_H

#include "measure/run.h"

/* Checks what the experiment's run() has left behind; `completed` is what it returned. Returns whether the run
 * succeeded; otherwise run->error is set: code "cancelled" when the run was cancelled before its end, also after its
 * last point; "wrong-result" when a point failed its verification; "internal-error" when run() failed without an
 * error. */
bool lab_run_succeeded(struct lab_run *run, bool completed);

#endif
