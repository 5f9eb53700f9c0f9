#include "pieces.h"

#include <stdlib.h>
#include <string.h>

struct body {
    struct lab_pieces pieces;
    char *text; /* the current piece */
    size_t length, sent;
    bool ended;
};

/* Replaces the piece by the next one. False on a failure. */
static bool make_piece(struct body *body)
{
    free(body->text);
    body->text = NULL;
    body->length = body->sent = 0;
    FILE *out = open_memstream(&body->text, &body->length);
    if (out == NULL)
        return false;
    enum lab_piece result = body->pieces.next(body->pieces.context, out);
    body->ended = result != LAB_PIECE_MORE;
    return fclose(out) == 0 && result != LAB_PIECE_FAILED;
}

static ssize_t pieces_produce(void *context, char *buffer, size_t size)
{
    struct body *body = context;
    while (body->sent == body->length) {
        if (body->ended)
            return 0;
        if (!make_piece(body))
            return -1;
    }
    size_t left = body->length - body->sent, length = left < size ? left : size;
    memcpy(buffer, body->text + body->sent, length);
    body->sent += length;
    return (ssize_t)length;
}

static void pieces_release(void *context)
{
    struct body *body = context;
    body->pieces.release(body->pieces.context);
    free(body->text);
    free(body);
}

void lab_respond_pieces(struct lab_response *response, const char *content_type, const struct lab_pieces *pieces)
{
    struct body *body = calloc(1, sizeof *body);
    if (body == NULL) {
        pieces->release(pieces->context);
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
        return;
    }
    body->pieces = *pieces;
    lab_respond_stream(response, content_type, pieces_produce, pieces_release, body);
}
