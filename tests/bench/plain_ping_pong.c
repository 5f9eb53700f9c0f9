/* A ping-pong as in any MPI program, with which mpi_ping_pong.mjs compares the experiment mpi. It shares no code with
 * the lab.
 *
 *   mpirun -n 2 gpulab-plain-ping-pong BYTES…
 *
 * Prints, for each size, the median over 21 batches of 5 ms and more of half of a round trip in seconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 21, BYTES_MAX = 16 << 20 };

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Returns the seconds of `count` round trips. */
static double round_trips(int rank, int count, char *send, char *receive, int bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        if (rank == 0)
            MPI_Send(send, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(receive, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(send, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - start;
}

/* Returns the median seconds of a message. */
static double time_of(int rank, char *send, char *receive, int bytes)
{
    double seconds[BATCHES], once = 0;
    int count = 1;
    for (; once < 0.005; count *= 2) {
        once = round_trips(rank, count, send, receive, bytes);
        MPI_Bcast(&once, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < BATCHES; i++)
        seconds[i] = round_trips(rank, count, send, receive, bytes) / count / 2;
    qsort(seconds, BATCHES, sizeof *seconds, compare);
    return seconds[BATCHES / 2];
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *send = aligned_alloc(4096, BYTES_MAX), *receive = aligned_alloc(4096, BYTES_MAX);
    if (size != 2 || send == NULL || receive == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    memset(send, 1, BYTES_MAX);
    memset(receive, 2, BYTES_MAX);
    for (int i = 1; i < argc; i++) {
        int bytes = atoi(argv[i]);
        if (bytes < 1 || bytes > BYTES_MAX)
            MPI_Abort(MPI_COMM_WORLD, 2);
        double seconds = time_of(rank, send, receive, bytes);
        if (rank == 0)
            printf("%.12g\n", seconds);
    }
    free(send);
    free(receive);
    MPI_Finalize();
    return 0;
}
