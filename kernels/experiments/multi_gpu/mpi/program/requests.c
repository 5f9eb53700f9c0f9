/* Reads requests on rank 0 and passes them on. */
#include "requests.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- lines of rank 0 ---------------------------------------------------------------------------------------------- */

bool requests_open(struct requests *requests)
{
    *requests = (struct requests){.output = dup(STDOUT_FILENO)};
    return requests->output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO;
}

void requests_close(struct requests *requests)
{
    lab_line_reader_release(&requests->reader);
    close(requests->output);
}

static char *next_line(struct requests *requests)
{
    size_t length;
    for (;;) {
        char *line = lab_line_reader_next(&requests->reader, &length);
        if (line != NULL)
            return line;
        if (!lab_line_reader_read(&requests->reader, STDIN_FILENO))
            return NULL;
    }
}

static uint64_t number_of(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

static struct request parse(const char *line)
{
    static const char *const names[] = {[REQUEST_END] = "end",
                                        [REQUEST_PREPARE] = "prepare",
                                        [REQUEST_SAMPLE] = "sample",
                                        [REQUEST_POISON] = "poison",
                                        [REQUEST_VERIFY] = "verify"};
    json_t *object = json_loads(line, 0, NULL);
    const char *name = json_string_value(json_object_get(object, "request"));
    struct request request = {.point = {.bytes = number_of(object, "bytes"),
                                        .seed = number_of(object, "seed"),
                                        .devices = number_of(object, "devices"),
                                        .weight = number_of(object, "weight")},
                              .repetitions = number_of(object, "repetitions")};
    uint64_t operation = number_of(object, "operation"), memory = number_of(object, "memory");
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            request.kind = (enum request_kind)i;
    if (operation >= LAB_MPI_OPERATIONS || memory >= LAB_MPI_MEMORIES)
        request.kind = REQUEST_END;
    request.point.operation = (enum lab_mpi_operation)(operation % LAB_MPI_OPERATIONS);
    request.point.memory = (enum lab_mpi_memory)(memory % LAB_MPI_MEMORIES);
    json_decref(object);
    return request;
}

void requests_answer(const struct requests *requests, const struct rank *rank, json_t *answer)
{
    if (rank->number != 0)
        return;
    char *line = json_dumps(answer, JSON_COMPACT);
    json_decref(answer);
    if (line == NULL || !lab_write_all(requests->output, line, strlen(line)) ||
        !lab_write_all(requests->output, "\n", 1))
        rank_abort(rank, "cannot write an answer");
    free(line);
}

/* --- all ranks ---------------------------------------------------------------------------------------------------- */

/* Receives a request from rank 0. A blocking receive would poll all the time. It is a message and not MPI_Ibcast,
 * because after the first nonblocking collective Open MPI makes one more call whenever it waits, and small messages
 * take a tenth longer. */
static void receive_idly(struct request *request)
{
    const struct timespec pause = {.tv_nsec = 100000};
    MPI_Request receiving;
    MPI_Irecv(request, sizeof *request, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &receiving);
    for (int done = 0; !done;) {
        MPI_Test(&receiving, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&pause, NULL);
    }
}

struct request requests_next(struct requests *requests, const struct rank *rank)
{
    struct request request = {.kind = REQUEST_END};
    if (rank->number != 0) {
        receive_idly(&request);
        return request;
    }
    const char *line = next_line(requests);
    if (line != NULL)
        request = parse(line);
    for (int other = 1; other < rank->count; other++)
        MPI_Send(&request, sizeof request, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    return request;
}

bool requests_agree(const struct rank *rank, bool good, struct lab_error *error)
{
    int failed = good ? rank->count : rank->number, first;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank->count)
        return true;
    if (rank->number == first)
        *error = rank->error;
    MPI_Bcast(error, sizeof *error, MPI_BYTE, first, MPI_COMM_WORLD);
    if (error->code != LAB_ERROR_UNSUPPORTED && error->code != LAB_ERROR_INSUFFICIENT_MEMORY)
        error->code = LAB_ERROR_RANKS_FAILED;
    return false;
}
