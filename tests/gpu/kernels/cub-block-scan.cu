// --entry scan --reference scan_simple --arg 'x:u32[n]' --arg 'y:u32[n]:out' --arg n:i32=1M --grid 'n / 1024' --block 256 --reference-block 1 --bytes '8 * n'
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

__global__ void scan(const unsigned *x, unsigned *y, int n)
{
    using Load = cub::BlockLoad<unsigned, 256, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<unsigned, 256>;
    using Store = cub::BlockStore<unsigned, 256, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } storage;
    unsigned items[4];
    Load(storage.load).Load(x + blockIdx.x * 1024, items);
    __syncthreads();
    Scan(storage.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(storage.store).Store(y + blockIdx.x * 1024, items);
}

__global__ void scan_simple(const unsigned *x, unsigned *y, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < 1024; i++)
        y[blockIdx.x * 1024 + i] = sum += x[blockIdx.x * 1024 + i];
}
