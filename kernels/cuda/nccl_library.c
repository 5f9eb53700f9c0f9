/* Loads NCCL. */
#include "nccl_library.h"

#include "core/library.h"

static const struct lab_library_symbol symbols[] = {
    {offsetof(struct nccl, get_version), "ncclGetVersion"},
    {offsetof(struct nccl, error_string), "ncclGetErrorString"},
    {offsetof(struct nccl, init_all), "ncclCommInitAll"},
    {offsetof(struct nccl, get_unique_id), "ncclGetUniqueId"},
    {offsetof(struct nccl, init_rank), "ncclCommInitRank"},
    {offsetof(struct nccl, destroy), "ncclCommDestroy"},
    {offsetof(struct nccl, abort), "ncclCommAbort"},
    {offsetof(struct nccl, group_start), "ncclGroupStart"},
    {offsetof(struct nccl, group_end), "ncclGroupEnd"},
    {offsetof(struct nccl, all_reduce), "ncclAllReduce"},
    {offsetof(struct nccl, all_gather), "ncclAllGather"},
    {offsetof(struct nccl, reduce_scatter), "ncclReduceScatter"},
    {offsetof(struct nccl, broadcast), "ncclBroadcast"},
    {offsetof(struct nccl, send), "ncclSend"},
    {offsetof(struct nccl, receive), "ncclRecv"},
};

bool lab_cuda_nccl_open(struct nccl *nccl, char *why, size_t why_size)
{
    const struct lab_library library = {lab_nccl_names, symbols, sizeof symbols / sizeof *symbols};
    return lab_library_open(&library, nccl, why, why_size);
}
