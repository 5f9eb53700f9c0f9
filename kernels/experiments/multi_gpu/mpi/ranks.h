/* The ranks as the worker sees them: a launcher that it starts, and JSON lines that it exchanges with rank 0 through
 * the launcher's standard input and output.
 *
 * Rank 0 begins with a line about all ranks:
 *   {"library":"Open MPI v4.1.4, …","cuda_aware":BOOL,"ranks":[{"host":NAME,"cpus":N,"first_cpu":N},…]}
 * Then it answers each request with one line, or with {"error":{"code","detail"}} when a rank could not do it:
 *   {"request":"prepare","operation":N,"memory":N,"bytes":N,"seed":N,"devices":N,"weight":N}   {}   replaces what
 *   was prepared before; devices of a rank, and weight of a job's kernel: of other operations 1 and 0
 *   {"request":"sample","repetitions":N}                                {"seconds":X}   of one operation
 *   {"request":"poison"}                                                {}
 *   {"request":"verify"}                                                {"wrong":N}   elements of all ranks
 * Numbers of operations and memories are those of mpi.h. The ranks end when the input ends.
 */
#ifndef LAB_MPI_RANKS_H
#define LAB_MPI_RANKS_H

#include "command.h"

struct lab_mpi_ranks;

/* Starts the ranks and waits for their first line, which *greeting becomes (a new reference). Returns NULL with *error
 * set: "cancelled"; "unsupported" when the launcher has fewer slots than ranks; else "ranks-failed", with what the
 * launcher printed. */
struct lab_mpi_ranks *lab_mpi_ranks_start(const struct lab_mpi_command *command, const atomic_bool *cancel,
                                          json_t **greeting, struct lab_error *error);

/* Sends a request, which it takes over, and waits for the answer, a new reference. Returns NULL with *error set:
 * "cancelled", "ranks-failed", or the code of the rank. */
json_t *lab_mpi_ranks_ask(struct lab_mpi_ranks *ranks, json_t *request, struct lab_error *error);

/* Ends the ranks and the launcher, by force if they have not ended after a second. NULL is allowed. */
void lab_mpi_ranks_stop(struct lab_mpi_ranks *ranks);

#endif
