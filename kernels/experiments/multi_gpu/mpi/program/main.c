/* gpulab-mpi: one rank of the experiment mpi. The worker starts all of them by mpirun or srun; rank 0 reads its
 * requests from standard input and answers on standard output (experiments/multi_gpu/mpi/ranks.h). All ranks end when
 * the input ends.
 */
#include "core/error_json.h"
#include "exchange.h"
#include "requests.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char usage[] =
    "usage: mpirun -n RANKS gpulab-mpi --runtime cuda|host [--host-devices N] DEVICE…\n"
    "Started by gpulab-worker. DEVICE: an id that `gpulab devices` lists.\n";

static bool parse_arguments(int argc, char **argv, struct rank *rank)
{
    static const struct option options[] = {
        {"runtime", required_argument, NULL, 'r'}, {"host-devices", required_argument, NULL, 'n'}, {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'r')
            rank->runtime = optarg;
        else if (option == 'n')
            rank->host_devices = strtoul(optarg, NULL, 10);
        else
            return false;
    }
    rank->devices = argv + optind;
    rank->device_count = (size_t)(argc - optind);
    return rank->runtime != NULL && rank->device_count > 0 && rank->host_devices <= LAB_RUN_DEVICES_MAX;
}

/* Counts the ranks before this one on its machine. MPI_Comm_split_type would do it too, by a nonblocking collective
 * (requests.c). */
static void find_number_on_host(struct rank *rank)
{
    char hosts[LAB_MPI_RANKS_MAX][HOST_NAME_MAX + 1] = {""}, own[HOST_NAME_MAX + 1] = "";
    gethostname(own, sizeof own);
    MPI_Allgather(own, sizeof own, MPI_CHAR, hosts, sizeof own, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < rank->number; i++)
        rank->number_on_host += strncmp(hosts[i], own, sizeof own) == 0;
}

/* Sets *answer, on rank 0, to the members of a successful answer. Returns false with the rank's error set. */
static bool execute(const struct request *request, struct rank *rank, struct exchange *exchange, json_t **answer)
{
    double seconds = 0;
    uint64_t wrong = 0, all_wrong = 0;
    bool good = true;
    switch (request->kind) {
    case REQUEST_PREPARE:
        exchange_release(exchange);
        good = exchange_prepare(exchange, rank, &request->point);
        break;
    case REQUEST_SAMPLE:
        exchange_sample(exchange, request->repetitions, &seconds);
        *answer = json_pack("{s:f}", "seconds", seconds);
        break;
    case REQUEST_POISON:
        good = exchange_poison(exchange);
        break;
    case REQUEST_VERIFY:
        good = exchange_verify(exchange, &wrong);
        MPI_Reduce(&wrong, &all_wrong, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        *answer = json_pack("{s:I}", "wrong", (json_int_t)all_wrong);
        break;
    case REQUEST_END:
        break;
    }
    return good;
}

static void serve(struct requests *requests, struct rank *rank)
{
    static struct exchange exchange;
    for (;;) {
        const struct request request = requests_next(requests, rank);
        json_t *answer = NULL;
        struct lab_error error = {0};
        if (request.kind == REQUEST_END)
            break;
        if (request.kind != REQUEST_PREPARE && exchange.operation == NULL)
            rank_abort(rank, "a request before the first \"prepare\"");
        bool good = execute(&request, rank, &exchange, &answer);
        if (!requests_agree(rank, good, &error)) {
            json_decref(answer);
            answer = json_pack("{s:o}", "error", lab_error_write(&error));
        }
        if (answer == NULL)
            answer = json_object();
        requests_answer(requests, rank, answer);
    }
    exchange_release(&exchange);
}

int main(int argc, char **argv)
{
    struct rank rank = {.number = 0};
    struct requests requests;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a rank whose launcher was killed would wait for requests for ever */
    if (!requests_open(&requests)) {
        perror("gpulab-mpi");
        return EXIT_FAILURE;
    }
    MPI_Init(&argc, &argv);
    if (!parse_arguments(argc, argv, &rank)) {
        fputs(usage, stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.number);
    MPI_Comm_size(MPI_COMM_WORLD, &rank.count);
    if (rank.count < 2 || rank.count > LAB_MPI_RANKS_MAX)
        rank_abort(&rank, "gpulab-mpi needs 2 to 64 ranks");
    find_number_on_host(&rank);
    requests_answer(&requests, &rank, requests_greeting(&rank));
    serve(&requests, &rank);
    rank_close_devices(&rank);
    MPI_Finalize();
    requests_close(&requests);
    return EXIT_SUCCESS;
}
