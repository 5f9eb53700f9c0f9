/* The first and the last rank exchange messages; ranks between them wait. */
#include "exchange.h"

#include <mpi.h>

static int partner_of(const struct rank *rank)
{
    return rank->number == 0 ? rank->count - 1 : 0;
}

static bool takes_part(const struct rank *rank)
{
    return rank->number == 0 || rank->number == rank->count - 1;
}

/* Each rank sends its own part of the pattern. */
static struct lab_expectation content_of(const struct exchange *e, int rank)
{
    uint64_t words = (e->bytes + 3) / 4;
    return (struct lab_expectation){.seed = e->seed, .first = (uint64_t)rank * words};
}

static bool ping_pong_prepare(struct exchange *e)
{
    if (!takes_part(e->rank))
        return true;
    e->array = exchange_allocate(e, e->bytes);
    e->result = e->array != NULL ? exchange_allocate(e, e->bytes) : NULL;
    if (e->result == NULL || !exchange_message(e, &e->send, e->array, e->bytes) ||
        !exchange_message(e, &e->receive, e->result, e->bytes))
        return false;
    exchange_expect(e, lab_region_of(e->result, e->bytes), content_of(e, partner_of(e->rank)));
    return exchange_fill(e, lab_region_of(e->array, e->bytes), content_of(e, e->rank->number));
}

static void send_message(struct exchange *e)
{
    exchange_stage_out(e);
    MPI_Send(e->send.staged, (int)e->send.bytes, MPI_BYTE, partner_of(e->rank), 0, MPI_COMM_WORLD);
}

static void receive_message(struct exchange *e)
{
    MPI_Recv(e->receive.staged, (int)e->receive.bytes, MPI_BYTE, partner_of(e->rank), 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    exchange_stage_in(e);
}

static void round_trip(struct exchange *e)
{
    if (!takes_part(e->rank))
        return;
    if (e->rank->number == 0)
        send_message(e);
    receive_message(e);
    if (e->rank->number != 0)
        send_message(e);
}

const struct exchange_operation ping_pong_operation = {
    .prepare = ping_pong_prepare, .repeat = round_trip, .operations = 2, .timed_by_first = true};
