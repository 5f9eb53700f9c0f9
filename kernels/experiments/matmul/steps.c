/* Title, explanation and source text of each step of matmul. Measured throughputs are in matmul.json. */
#include "matmul.h"

#define OWN(file) "kernels/experiments/matmul/" file
#define CUDA(file) "kernels/cuda/gemm/" file
#define HOST(file) "kernels/host/gemm/" file

static const char host_tiled[] =
    "The same three loops, cut into tiles: a tile of A and a tile of B are copied into two small arrays and "
    "multiplied there before the next two tiles are fetched. Each fetched number is used as often as a tile is wide, "
    "so less data comes from memory, and the two arrays stay in the first-level cache. The copy matters as much as "
    "the tiling: in the matrix, the rows of a tile are a whole matrix row apart, and for sizes such as 1024 they map "
    "to the same few cache sets and evict one another.\n\n"
    "The arrays have a fixed size, and elements beyond the edge of the matrix are 0. So the compiler can compute four "
    "adjacent fp32 sums at a time with the vector instructions that every 64-bit CPU has. Larger tiles use each "
    "number more often, smaller ones can be unrolled completely; which is faster has to be measured. A GPU keeps such "
    "tiles in shared memory, a CPU relies on its cache, which keeps recently used data.";

const struct lab_source matmul_sources[] = {
    {"naive",
     "cuda",
     "Naive",
     "Each thread computes one element of C: it reads a row of A and a column of B and adds up k products. Adjacent "
     "threads compute adjacent rows. In each iteration the 32 threads of a warp therefore read 32 elements of A that "
     "are a whole row apart. Memory is fetched in sectors of 32 bytes, so one load instruction fetches 32 sectors, "
     "1024 bytes, and uses 128 of them.\n\n"
     "The limit is the load/store unit, which spends almost all of its time on splitting up such accesses, while the "
     "schedulers rarely issue an instruction. More threads do not help: the multiprocessors are already full.",
     {{OWN("naive.cu"), NULL}}},
    {"coalesced",
     "cuda",
     "Global-memory coalescing",
     "The only change: threadIdx.x selects the column instead of the row. The threads of a warp now read 32 adjacent "
     "elements of a row of B, 128 contiguous bytes, and all read the same element of A, which is fetched once for the "
     "warp. Expect several times the throughput of the naive kernel.\n\n"
     "The limit is the number of loads: two for each multiply-add, and only one in seven instructions of the loop is "
     "a multiply-add. While the matrices fit in the L2 cache, the load/store unit is the bottleneck. When they no "
     "longer fit, the cache hit rate drops, the warps wait for memory, and throughput falls as the matrices grow.",
     {{OWN("coalesced.cu"), NULL}}},
    {"tiled-8",
     "cuda",
     "Shared-memory tiling, 8 x 8",
     "A block of 8 x 8 threads copies an 8 x 8 tile of A and one of B to shared memory, one element of each per "
     "thread, waits at a barrier, and multiplies the two tiles. Each element is read from global memory once per "
     "block instead of once per thread, which saves seven of eight loads.\n\n"
     "This gains little over coalescing, and can lose where the matrices fit in the L2 cache, for three reasons. The "
     "rows of a tile are only 32 bytes long, so a warp's load touches four places. Each tile costs two barriers and "
     "the copying for only 8 multiply-adds per thread, so one in six instructions of the loop is a multiply-add. And "
     "shared memory is read through the same unit as the cache, so it competes with the loads from global memory. The "
     "coalesced kernel gets most of its data from the cache.",
     {{OWN("tiled.cu"), NULL}}},
    {"tiled-16",
     "cuda",
     "Shared-memory tiling, 16 x 16",
     "The same kernel with tiles of 16 x 16: one sixteenth of the loads from global memory, in rows of 64 bytes, and "
     "16 multiply-adds between two barriers.\n\n"
     "Less copying leaves more of the load/store unit to the reads from shared memory, which are now the limit. For "
     "each multiply-add of a warp that unit needs more than one cycle: one for the element of B, the rest for the "
     "element of A, which the compiler reads four at a time, and for the copying. The four schedulers of a "
     "multiprocessor could issue four multiply-adds per cycle.",
     {{OWN("tiled.cu"), NULL}}},
    {"tiled-32",
     "cuda",
     "Shared-memory tiling, 32 x 32",
     "Tiles of 32 x 32: whole warps copy whole rows of 128 bytes, and the loads from global memory are halved "
     "again.\n\n"
     "The gain is small, because global memory was no longer the limit: a multiply-add still needs two numbers from "
     "shared memory. A block now has 1024 threads, so only two blocks fit on a multiprocessor. When one of them waits "
     "at its barrier, half of the warps are idle. To go further, each thread must do more with every number that it "
     "reads.",
     {{OWN("tiled.cu"), NULL}}},
    {"register-tiles",
     "cuda",
     "2D block tiling",
     "Each thread computes TM x TN = 8 x 8 elements of C, with the sums in registers. In each step along k it reads 8 "
     "elements of A and 8 of B and multiplies each pair: 64 multiply-adds for 16 numbers, which took 128 numbers "
     "before. A block of 256 threads computes BM x BN = 128 x 128 elements of C with BK = 8, so global memory is read "
     "a quarter as often as with tiles of 32.\n\n"
     "This is one of the largest gains, because the reads from shared memory are no longer the bottleneck. The price "
     "is about 128 registers per thread: 16 warps fit on a multiprocessor instead of 64 (25 % occupancy). That is "
     "enough, since the 64 multiply-adds of a thread are independent. Warps now wait for the next tiles, at the "
     "barrier, and for registers, of which a multiply-add reads three; almost a third of the instructions are not "
     "multiply-adds. Small matrices get slower: at 512 there are only 16 blocks, fewer than a large GPU has "
     "multiprocessors.",
     {{OWN("block_tiling.cu"), NULL}}},
    {"vectorized",
     "cuda",
     "Vectorised loads",
     "The same tiles, but each thread loads 16 bytes at a time (float4): one load for A and one for B from global "
     "memory per tile, and four from shared memory per 64 multiply-adds. For this, A is stored transposed in shared "
     "memory, so that four rows are adjacent, and its rows are padded by four floats, so that the 32 floats which a "
     "warp stores at once fall into 32 different banks.\n\n"
     "The multiply-adds are the same, with about 20 % fewer instructions: nine in ten are now multiply-adds. What "
     "remains is waiting: all threads of a block load, wait for their loads, wait for each other at the barrier, and "
     "then multiply.",
     {{OWN("copies.cuh"), NULL}, {OWN("vectorized.cu"), NULL}}},
    {"double-buffered",
     "cuda",
     "Double buffering",
     "Each tile has two buffers. While the threads multiply the contents of one, the next tiles of A and B are copied "
     "into the other by asynchronous copies that bypass the registers (cp.async, from sm_80 on; older GPUs load and "
     "store). Only one barrier per tile is needed instead of two.\n\n"
     "The time spent waiting for global memory disappears. An asynchronous copy cannot transpose, so A is copied "
     "float by float: four copies instead of one, about 5 % more instructions. (Loading into registers and storing "
     "after the multiplication, as on a GPU without such copies, avoids this and can be slightly faster.) The "
     "remaining limits are in the multiplication: 128 registers per thread, two blocks per multiprocessor, and "
     "multiply-adds that wait for their operands, which the next step addresses.",
     {{OWN("copies.cuh"), NULL}, {OWN("double_buffered.cu"), NULL}}},
    {"warp-tiled",
     "cuda",
     "Warp tiling",
     "Three changes. The block tile is 128 x 256; each of 8 warps computes 64 x 64 of it and each thread 16 x 8, so 24 "
     "numbers are read for 128 multiply-adds, where it was 16 for 64. The threads of a warp are arranged as 4 x 8, so "
     "one instruction reads 16 adjacent elements of A or 32 of B. And the numbers of the next step are read from "
     "shared memory while those of the current step are multiplied. More than nine in ten instructions of the loop are "
     "multiply-adds. A thread takes about 210 registers, so only 8 warps fit on a multiprocessor, two for each "
     "scheduler (12.5 % occupancy); these rarely wait, so an instruction is issued in most cycles. Expect about the "
     "throughput of cuBLAS in fp32.\n\n"
     "Two details concern the register banks (even and odd register numbers). A multiply-add reads three registers. "
     "Walking the 16 x 8 sums back and forth keeps one factor the same as in the previous multiply-add, and the "
     "hardware reuses it. Sums that are stored four at a time must be in four adjacent registers, as must the factors "
     "that are loaded four at a time, so a sum and a factor may share a register bank, which delays the multiply-add; "
     "adding 0 before the store lets the compiler place the sums in other registers. Each of the two is worth several "
     "percent.\n\n"
     "The remaining limits are the 10 % of the instructions that only move data, register bank conflicts, and tile "
     "quantisation: if the number of tiles is not a multiple of the number of multiprocessors, the last wave is not "
     "full. At large sizes the power limit lowers the clock. Small products use smaller tiles (64 x 128, 32 x 64), so "
     "that all multiprocessors have work.\n\n"
     "In layout tn neither A nor B has the floats of a step next to each other in memory. In large tiles both are copied one "
     "float at a time, each to its place in the transposed slab. In small tiles (32 x 64, 16 x 64) that would cost too many "
     "instructions: there the slabs stay along k and are copied 16 bytes at a time, and the register banks conflict more "
     "often. In this layout the large tiles of the blocks that run at the same time form about a square, so less is read from "
     "memory, which also saves power.",
     {{OWN("copies.cuh"), NULL},
      {OWN("warp_tile.cuh"), NULL},
      {OWN("warp_tiled.cu"), NULL},
      {OWN("warp_tiled_tn.cu"), NULL}}},
    {"mma",
     "cuda",
     "Tensor cores with mma.sync",
     "So far every thread multiplied numbers of its own. Now the 32 threads of a warp pass tiles to a tensor core together: "
     "one mma.sync multiplies 16 x 16 by 16 x 8 elements of bf16 or fp16, 2048 multiply-adds (16 x 8 by 8 x 8 of tf32, "
     "1024), where an fp32 instruction of a warp does 32. The sums are accumulated in fp32. The rest of the kernel feeds "
     "the tensor core. Asynchronous copies (cp.async) bring the next stages of A and B into a ring of buffers in shared "
     "memory, ldmatrix distributes 8 x 8 tiles to the threads in the layout of the tensor core, and the operands of the "
     "next multiplication are loaded while the current one runs. The 16-byte chunks of a row are swizzled in shared memory, "
     "so that chunks which are read together are in different banks. The inputs have fewer significant bits: 8 in bf16, 11 "
     "in fp16 and tf32. In tf32 the matrices stay fp32 in memory and the tensor core ignores the last 13 bits; rounding "
     "them first (cvt.rna.tf32) would be slightly more accurate and about a quarter slower.\n\n"
     "For tf32, bf16 and fp16 this instruction does not reach the full rate of Hopper's tensor cores; expect somewhat more "
     "than half of cuBLAS. The warps that multiply also compute addresses, start copies, load operands and wait for each "
     "other every 64 bytes along k, and their registers (244 of 255) leave room for only two warps per scheduler to hide "
     "that. Rows that are not a multiple of 16 bytes cannot be copied asynchronously and are several times slower.\n\n"
     "fp64 has tensor cores, too, on the data-centre GPUs; gpulab uses them on Hopper. One instruction multiplies 16 x 16 "
     "by 16 x 8 numbers, at twice the rate of the fp64 cores. There is no other instruction for fp64: the ceiling in the "
     "roofline is measured with mma.sync itself. The rest of its kernel is that of the step WGMMA + TMA. There are no "
     "matrix loads for numbers of 8 bytes; each thread loads its numbers one by one, in an order in which the 16 threads "
     "that read at a time read from different banks, directly into the registers that the instruction needs next to each "
     "other: loading two at a time and moving one of them took a tenth of the throughput. Two or three warps share a "
     "scheduler: while one waits for its numbers, another multiplies. Large products are limited by the GPU's power; of the "
     "instruction's forms the one with the most numbers along k is used, because it reads and writes the sums least often. "
     "Reading memory takes power as well: when blocks worked at different places along k, a product of 16384 read 349 GB "
     "from memory instead of 55 GB, and was 6 % slower.",
     {{CUDA("mma.cuh"), NULL}, {CUDA("mma.cu"), "kernel"}, {CUDA("wgmma/fp64.cuh"), NULL}}},
    {"wgmma",
     "cuda",
     "WGMMA + TMA",
     "For Hopper. One producer thread only issues copies of boxes of A and B to the tensor memory accelerator (TMA), "
     "which computes the addresses and fills elements beyond the edge with zeros. One or two consumer warpgroups of "
     "128 threads only issue multiplications: one wgmma multiplies 64 rows by up to 256 columns, 32 bytes along k, "
     "directly from shared memory, 262,144 multiply-adds of bf16, and runs asynchronously while the next is issued. "
     "Producer and consumers synchronise only through barriers in shared memory, \"full\" and \"empty\" for each of "
     "several stages; there is no barrier for the whole block. The blocks are persistent, so the stages of the next "
     "tile are filled while a tile is stored. Two blocks can share each box of B or A (cluster multicast), which "
     "saves a third of the traffic from the L2 cache. The tiles are visited in bands, back and forth, and alternately "
     "forwards and backwards along k, so that the cache still holds more of the data needed next. A cache also helps "
     "only while blocks need the same data at about the same time. So in large products all blocks begin with whole "
     "tiles, and every 4 KB along k those that are ahead wait for the others.\n\n"
     "No single size of tiles suits all products. Large ones read each number least often, but at 1024 there are only "
     "32 tiles of 128 x 256 for the 132 multiprocessors of an H200. Small products therefore use smaller tiles. Where "
     "these are still too few, and k is large, several blocks divide the sums of a tile along k: into equal parts "
     "(split-k), or so that each block has the same number of steps (stream-k, which also divides the last tiles of "
     "large products). The blocks that share a tile add their sums in a tree, so that 32 of them take five additions "
     "one after the other, not 31. A table has the choices that were measured; a rule with estimated costs decides "
     "for other products. Each measurement names its choice. A kernel may start while the one before it in the stream "
     "ends (programmatic launch): it prepares its barriers and waits before it reads.\n\n"
     "At large sizes the limit is power: the multiplications take nearly all of the cycles, but the clock drops under "
     "the load. From here on, every byte and instruction saved also saves energy. So the loop over the stages is "
     "unrolled: what depends on the stage is then a constant, and what all threads of a warp share is computed once. "
     "For bf16 and blocks of 128 x 256, a consumer warp issues 43 instructions for each step along k, four of them "
     "multiplications, instead of 93. Expect the throughput of cuBLAS or slightly more. fp16 is slower than bf16, "
     "because more bits switch in the same instructions. tf32 and fp8 run through the same code, because an "
     "instruction multiplies 32 bytes along k of every type; but wgmma reads their B in shared memory only along k, "
     "so for tf32 in layout nn the transposed product is computed, with B in registers. fp8 keeps only about 14 bits "
     "of its sums. TMA requires rows that are a multiple of 16 bytes: for other sizes A and B are first copied to "
     "padded rows, and C is stored element by element, which halves the throughput.",
     {{CUDA("wgmma/schedule.h"), NULL},
      {CUDA("wgmma/instructions.cuh"), NULL},
      {CUDA("wgmma/block.cuh"), NULL},
      {CUDA("wgmma/produce.cuh"), NULL},
      {CUDA("wgmma/multiply.cuh"), NULL},
      {CUDA("wgmma/pass_on.cuh"), NULL},
      {CUDA("wgmma/store.cuh"), NULL},
      {CUDA("wgmma/kernel.cuh"), "kernel"}}},
    {"cublas",
     "cuda",
     "cuBLAS",
     "NVIDIA's library, the reference for the other steps. It contains many kernels for each type, generated and "
     "tuned for each generation of devices, and selects one by the sizes of the matrices. Its source is not public; "
     "shown here is how gpulab calls it.\n\n"
     "cuBLAS expects matrices stored column by column. A matrix stored row by row is its own transpose in that view, "
     "so gpulab computes C^T = B^T A^T and no data has to be moved. fp32 is multiplied in fp32, without tf32. Sums of "
     "16-bit types are accumulated in fp32. fp8 is multiplied by cuBLASLt, the same library's other interface, with the "
     "tensor cores' own accumulation (\"fast accumulation\"), as by wgmma.",
     {{CUDA("cublas.c"), NULL}, {CUDA("cublaslt.c"), NULL}}},
    {"naive",
     "host",
     "Naive",
     "Three nested loops: each element of C is the sum of a row of A times a column of B, one multiply-add after the "
     "other. Every multiply-add needs two numbers from memory. If B is stored row by row, the next number of a column "
     "is a whole row away: the CPU fetches a cache line of 64 bytes and uses 4 or 8 of them. Try the layout tn, in "
     "which the columns of B are contiguous: the same loops are several times as fast.\n\n"
     "A second limit does not depend on the cache: all additions go into the same sum, so each waits for the previous "
     "one. A core then completes one addition in three or four clock cycles, though it could do several per cycle.",
     {{HOST("naive.c"), NULL}}},
    {"tiled-8", "host", "Cache tiling, 8 x 8", host_tiled, {{HOST("tiled.c"), NULL}}},
    {"tiled-16", "host", "Cache tiling, 16 x 16", host_tiled, {{HOST("tiled.c"), NULL}}},
    {"tiled-32", "host", "Cache tiling, 32 x 32", host_tiled, {{HOST("tiled.c"), NULL}}},
    {"blocked",
     "host",
     "Packing and micro-kernel (GotoBLAS scheme)",
     "With tiling, the arithmetic units still wait: even from the first-level cache, one load per multiply-add is too "
     "much. Here the innermost part, the micro-kernel, keeps a tile of C in vector registers (with AVX-512: 14 x 32 fp32 "
     "sums in 28 registers) and walks along k once. In each step it loads two vectors of B and 14 single numbers of A and "
     "does 28 vector multiply-adds with them: 16 loads for 448 multiply-adds, all independent of each other.\n\n"
     "The numbers must arrive in the right order and from a near cache. So A and B are packed first: copied into "
     "slivers as high and as wide as the micro-kernel's tile, vector by vector; where the elements of a row or column must "
     "be spread, whole squares of them are transposed in registers. Each core computes parts of C on its own, so that cores "
     "never wait for each other's packing. The sizes follow the caches: a sliver of A stays in the first level while the "
     "slivers of B of a part, which stay in the second level, pass. Every packed number is used hundreds of times.\n\n"
     "What remains are accesses to the unpacked matrices. While a tile is multiplied, the micro-kernel fetches the tile's "
     "part of C and the rows of A that are packed next into the caches, a few cache lines at a time. Edges are not filled up "
     "with zeros: the micro-kernel is compiled for each number of rows.\n\n"
     "The source is compiled for vectors of 16, 32 and 64 bytes, and the program selects the widest that the CPU supports. "
     "The scheme is that of K. Goto and R. van de Geijn (\"Anatomy of High-Performance Matrix Multiplication\", 2008), which "
     "most libraries follow. On a CPU with AVX-512, expect about the throughput of OpenBLAS or slightly more.",
     {{HOST("blocked.c"), NULL}}},
    {"openblas",
     "host",
     "OpenBLAS",
     "The same scheme as \"Packing and micro-kernel (GotoBLAS scheme)\", with a micro-kernel in assembly for each "
     "family of CPUs and years of tuning. It is the reference for the other steps, where the library is installed. "
     "Each core of the device computes its own part of C with a call of its own, so that a device uses only its own "
     "cores.",
     {{HOST("openblas.c"), NULL}}},
    {0},
};
