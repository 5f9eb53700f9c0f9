/* Every rank sends the edges of its domain to its four neighbours, and receives theirs around its own. */
#include "exchange.h"
#include "experiments/multi_gpu/mpi/geometry.h"

#include <mpi.h>

static size_t edge_bytes(const struct exchange *e)
{
    return lab_mpi_domain_side(e->bytes) * LAB_MPI_ELEMENT_BYTES;
}

static int neighbour_of(const struct exchange *e, int side)
{
    return (int)lab_mpi_neighbour((size_t)e->rank->count, (size_t)e->rank->number, (enum lab_mpi_side)side);
}

/* An edge or a part of the halo as a region of the array: a row, or a column of single elements. */
static struct lab_region line_region(const struct exchange *e, size_t domain_side, enum lab_mpi_side side, bool halo)
{
    struct lab_mpi_line line = lab_mpi_edge(domain_side, side, halo);
    unsigned char *address = (unsigned char *)e->array + line.first * LAB_MPI_ELEMENT_BYTES;
    return line.step == 1
               ? lab_region_of(address, domain_side * LAB_MPI_ELEMENT_BYTES)
               : (struct lab_region){address, LAB_MPI_ELEMENT_BYTES, domain_side, line.step * LAB_MPI_ELEMENT_BYTES};
}

/* The part of a message for a side, in the same form. */
static struct lab_region message_region(const struct message *message, const struct lab_region *line, int side)
{
    unsigned char *address = (unsigned char *)message->address + (size_t)side * line->width * line->height;
    return (struct lab_region){address, line->width, line->height, line->width};
}

/* The content of a rank's domain is a part of the pattern of its own. A column has every domain_side-th word of it, as
 * the rows of a transposed matrix of that width have. */
static struct lab_expectation expected_halo(const struct exchange *e, size_t domain_side, int side)
{
    struct lab_mpi_line line = lab_mpi_edge(domain_side, lab_mpi_opposite((enum lab_mpi_side)side), false);
    size_t pitch = domain_side + 2, row = line.first / pitch - 1, column = line.first % pitch - 1;
    uint64_t first = (uint64_t)neighbour_of(e, side) * domain_side * domain_side + row * domain_side + column;
    return (struct lab_expectation){.content = line.step == 1 ? LAB_CONTENT_WORDS : LAB_CONTENT_TRANSPOSED,
                                    .seed = e->seed,
                                    .first = first,
                                    .width = domain_side};
}

static bool prepare_side(struct exchange *e, size_t domain_side, int side)
{
    struct lab_region edge = line_region(e, domain_side, (enum lab_mpi_side)side, false);
    struct lab_region halo = line_region(e, domain_side, (enum lab_mpi_side)side, true);
    exchange_expect(e, halo, expected_halo(e, domain_side, side));
    return exchange_add_copy(e, &e->pack, message_region(&e->send, &edge, side), edge) &&
           exchange_add_copy(e, &e->unpack, halo, message_region(&e->receive, &halo, side));
}

static bool halo_prepare(struct exchange *e)
{
    size_t side = lab_mpi_domain_side(e->bytes), pitch = side + 2;
    size_t message_bytes = LAB_MPI_SIDES * edge_bytes(e);
    e->array = exchange_allocate(e, pitch * pitch * LAB_MPI_ELEMENT_BYTES);
    if (e->array == NULL || !exchange_message(e, &e->send, NULL, message_bytes) ||
        !exchange_message(e, &e->receive, NULL, message_bytes))
        return false;
    const struct lab_region domain = {(unsigned char *)e->array + (pitch + 1) * LAB_MPI_ELEMENT_BYTES, edge_bytes(e),
                                      side, pitch * LAB_MPI_ELEMENT_BYTES};
    bool good = exchange_fill(
        e, domain, (struct lab_expectation){.seed = e->seed, .first = (uint64_t)e->rank->number * side * side});
    for (int i = 0; good && i < LAB_MPI_SIDES; i++)
        good = prepare_side(e, side, i);
    return good;
}

/* The tag is the side from which a message is sent, because the same rank may be the neighbour on several sides. */
static void halo_communicate(const struct exchange *e)
{
    MPI_Request requests[2 * LAB_MPI_SIDES];
    int bytes = (int)edge_bytes(e);
    for (int i = 0; i < LAB_MPI_SIDES; i++)
        MPI_Irecv((unsigned char *)e->receive.staged + i * bytes, bytes, MPI_BYTE, neighbour_of(e, i),
                  (int)lab_mpi_opposite((enum lab_mpi_side)i), MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < LAB_MPI_SIDES; i++)
        MPI_Isend((unsigned char *)e->send.staged + i * bytes, bytes, MPI_BYTE, neighbour_of(e, i), i, MPI_COMM_WORLD,
                  &requests[LAB_MPI_SIDES + i]);
    MPI_Waitall(2 * LAB_MPI_SIDES, requests, MPI_STATUSES_IGNORE);
}

const struct exchange_operation halo_operation = {
    .prepare = halo_prepare, .communicate = halo_communicate, .operations = 1};
