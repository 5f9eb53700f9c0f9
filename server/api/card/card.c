/* GET /api/v1/devices/{id}/card.svg: the summary of a device as a picture. */
#include "card.h"

#include <stdlib.h>

void lab_api_get_card(const struct lab_request *request, struct lab_response *response)
{
    struct lab_card card;
    char *text = NULL;
    size_t size = 0;
    enum lab_store_result result = lab_card_read(request, lab_request_part(request, "id"), &card);
    if (result == LAB_STORE_NOT_FOUND) {
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND,
                            "Neither the lab nor a run of it has a device with this id; GET /api/v1/devices and "
                            "/api/v1/recorded-devices list the ids.",
                            NULL);
        return;
    }
    if (result != LAB_STORE_OK) {
        lab_reply_store_error(request, response, result);
        return;
    }
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        lab_card_write(&card, out);
        fclose(out);
    }
    if (text != NULL)
        lab_respond_text(response, 200, "image/svg+xml", text, size);
    else
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
    free(text);
}
