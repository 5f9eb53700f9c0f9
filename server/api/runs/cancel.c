/* POST /api/v1/runs/{id}/cancel. */
#include "resources.h"

#include <stdlib.h>

void lab_api_cancel_run(const struct lab_request *request, struct lab_response *response)
{
    const char *id = lab_request_part(request, "id");
    struct lab_run_row *written;
    if (lab_refuse_run_of_another(request, response, id))
        return;
    switch (lab_jobs_cancel(lab_api_of(request)->jobs, id, &written)) {
    case LAB_CANCEL_OK:
        if (written != NULL)
            lab_reply_run_row(request, response, 202, written);
        else
            lab_reply_run(request, response, 202, id);
        free(written);
        return;
    case LAB_CANCEL_ALREADY:
        lab_reply_run(request, response, 200, id);
        return;
    case LAB_CANCEL_FINISHED:
        lab_respond_problem(response, LAB_ERROR_RUN_IS_FINISHED,
                            "The run has already finished and cannot be cancelled.", NULL);
        return;
    case LAB_CANCEL_NOT_FOUND:
        lab_reply_store_error(request, response, LAB_STORE_NOT_FOUND);
        return;
    case LAB_CANCEL_STORE:
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
        return;
    }
}
