/* Decides how a run has ended. */
#include "outcome.h"

bool lab_run_succeeded(struct lab_run *run, bool completed)
{
    if (completed && lab_run_cancelled(run))
        return lab_error_set(&run->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
    if (completed && run->any_wrong)
        return lab_error_set(&run->error, LAB_ERROR_WRONG_RESULT, "",
                             "some results differ from the expected values; they are marked as wrong");
    if (!completed && run->error.code == LAB_ERROR_NONE)
        return lab_error_set(&run->error, LAB_ERROR_INTERNAL_ERROR, "",
                             "the experiment %s failed without a reason; report this as a bug of gpulab",
                             run->experiment->name);
    return completed;
}
