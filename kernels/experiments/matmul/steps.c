/* What is told about each step, beside its source. */
#include "matmul.h"

/* The texts as they were compiled (experiments/show_sources.cmake). */
extern const char lab_text_cuda_gemm_naive_cu[], lab_text_cuda_gemm_coalesced_cu[], lab_text_cuda_gemm_tiled_cu[],
    lab_text_cuda_gemm_block_tiling_cu[], lab_text_cuda_gemm_vectorized_cu[], lab_text_cuda_gemm_double_buffered_cu[],
    lab_text_cuda_gemm_warp_tiled_cu[], lab_text_cuda_gemm_mma_cu[], lab_text_cuda_gemm_wgmma_cu[],
    lab_text_cuda_gemm_cublas_c[];
extern const char lab_text_host_gemm_naive_c[], lab_text_host_gemm_tiled_c[], lab_text_host_gemm_blocked_c[],
    lab_text_host_gemm_openblas_c[];

static const char host_tiled[] =
    "The same three loops, cut into tiles: a tile of A and a tile of B are copied into two small arrays, multiplied there, "
    "and only then are the next two fetched. A number that was fetched once is used as often as a tile is wide, so that "
    "much less comes from far away, and the arrays stay in the first-level cache. The copy matters as much as the cutting: "
    "read where they lie, the rows of a tile are a whole row of the matrix apart, and at sizes like 1024 they fall onto the "
    "same few places of the cache and push one another out.\n\n"
    "The arrays have a fixed size and no edges to look after (what lies beyond the matrix is 0), which lets the compiler "
    "compute four neighbouring sums of fp32 at a time with the vector instructions that every 64-bit CPU has. Larger tiles "
    "use each number more often, smaller ones can be unrolled completely: which is best has to be measured. A GPU has a "
    "memory of its own to put such tiles into; a CPU has a cache that keeps what was used last.";

const struct lab_source matmul_sources[] = {
    {"naive", "cuda", "One thread for each element",
     "Each thread computes one element of C: it walks along a row of A and down a column of B and adds up k "
     "products. Neighbouring threads have neighbouring rows. At each step the 32 threads of a warp therefore read "
     "32 elements of A that lie a whole row apart. Memory is fetched in sectors of 32 bytes, so that one "
     "instruction fetches 32 sectors, 1024 bytes, to use 128 of them.\n\n"
     "On an H200, fp32 at 4096 cubed: 0.50 TFLOP/s, 1 % of cuBLAS. The load/store unit is the limit: it works 98.5 % of the time on taking such accesses "
     "apart, and the schedulers issue an instruction in 5 % of their cycles. More threads would not help: 99 % of "
     "all that fit are there already.",
     "kernels/cuda/gemm/naive.cu", lab_text_cuda_gemm_naive_cu},
    {"coalesced", "cuda", "Neighbouring threads, neighbouring columns",
     "The only change: threadIdx.x counts columns instead of rows. Now the threads of a warp read 32 neighbours of "
     "a row of B, 128 bytes in one piece, and all the same element of A, which is fetched once for the warp.\n\n"
     "On an H200, fp32 at 4096 cubed: 4.69 TFLOP/s, nine times as much. It is limited by how often it loads: two loads for each multiply-add (one "
     "in seven instructions of the loop is a multiply-add). Up to 2048 the load/store unit is the limit (72 % busy, 6.05 "
     "TFLOP/s). At 4096 the matrices no longer fit into the L2 cache together (its hit rate falls to 60 %), and "
     "the warps mostly wait for memory: that is why this step falls to 4.69 where the matrices grow.",
     "kernels/cuda/gemm/coalesced.cu", lab_text_cuda_gemm_coalesced_cu},
    {"tiled-8", "cuda", "Tiles in shared memory, 8 x 8",
     "A block of 8 x 8 threads brings an 8 x 8 tile of A and of B into shared memory, an element of each per "
     "thread, waits at a barrier until all are there, and multiplies the two tiles. Each element is read from "
     "global memory once per block instead of once per thread: an eighth of the loads.\n\n"
     "On an H200, fp32 at 4096 cubed: 5.12 TFLOP/s. That is little more than before, and at 2048 and below even less (5.10 against 6.05), for "
     "three reasons. The rows of a tile are only 32 bytes long, so that a warp's load touches four places. Each 8 "
     "steps cost two barriers and the copying, with only 8 multiply-adds per thread between them: one in six "
     "instructions of the loop is one. And reading shared memory takes the same unit as reading the cache: it is "
     "92 % busy, more than a third of that with loads from global memory. The coalesced kernel had the cache, "
     "which serves 95 % of its loads.",
     "kernels/cuda/gemm/tiled.cu", lab_text_cuda_gemm_tiled_cu},
    {"tiled-16", "cuda", "Tiles in shared memory, 16 x 16",
     "The same kernel with tiles of 16 x 16: a sixteenth of the loads from global memory, in pieces of 64 bytes, "
     "and 16 multiply-adds between two barriers.\n\n"
     "On an H200, fp32 at 4096 cubed: 8.10 TFLOP/s. Less copying leaves more of the load/store unit to the reads from shared memory, and those are now "
     "the limit: the unit is 93 % busy, and the reads and writes of shared memory for a warp's multiply-add take "
     "it 1.65 cycles (one for the element of B, the rest for the element of A, of which the compiler reads four at "
     "a time, and for the copying), while the four schedulers of a multiprocessor could issue four multiply-adds "
     "per cycle.",
     "kernels/cuda/gemm/tiled.cu", lab_text_cuda_gemm_tiled_cu},
    {"tiled-32", "cuda", "Tiles in shared memory, 32 x 32",
     "Tiles of 32 x 32: whole warps copy whole rows of 128 bytes, and traffic from global memory is halved again.\n\n"
     "On an H200, fp32 at 4096 cubed: 8.59 TFLOP/s, only 6 % more, for traffic was not the limit any more: a multiply-add still needs two numbers "
     "from shared memory (1.58 cycles of the load/store unit). A block now has 1024 threads, and only two such blocks "
     "fit onto a multiprocessor: when one waits at its barrier, half of the warps stand still, and the load/store unit "
     "is 84 % busy where it was 93 %. To get further, a thread must do more with what it reads.",
     "kernels/cuda/gemm/tiled.cu", lab_text_cuda_gemm_tiled_cu},
    {"register-tiles", "cuda", "8 x 8 results per thread",
     "Each thread keeps 8 x 8 sums in registers. At each step along k it reads 8 elements of A and 8 of B and "
     "multiplies each with each: 64 multiply-adds for 16 numbers, where it took 128 numbers before. A block of 256 "
     "threads makes 128 x 128 of C, so that global memory is read a quarter as often as with tiles of 32.\n\n"
     "On an H200, fp32 at 4096 cubed: 29.7 TFLOP/s, 3.5 times as much, the largest step of the ladder but the first. The load/store unit is down to 44 "
     "%. The price: 124 registers per thread, so that 16 warps fit onto a multiprocessor instead of 64 (25 % "
     "occupancy), which is enough, since a thread's 64 multiply-adds do not depend on each other. An instruction "
     "is issued in 64 % of the cycles: warps wait for the next tiles, at the barrier, and for registers, of which "
     "a multiply-add reads three. And 29 % of the instructions are no multiply-adds. Small matrices lose: at 512 "
     "there are 16 such blocks for 132 multiprocessors (3.1 TFLOP/s; tiles of 32 make 7.8).",
     "kernels/cuda/gemm/block_tiling.cu", lab_text_cuda_gemm_block_tiling_cu},
    {"vectorized", "cuda", "Four floats at a time",
     "The same tiles, but each thread loads 16 bytes at a time: one load for A and one for B from global memory "
     "per tile, and four from shared memory for 64 multiply-adds. For that A is stored transposed, so that four "
     "rows lie side by side, with rows padded by four floats: so the 32 floats that a warp stores at once fall "
     "into 32 different banks.\n\n"
     "On an H200, fp32 at 4096 cubed: 35.8 TFLOP/s. The same multiply-adds with 20 % fewer instructions: they are 89 % of all now, where they were "
     "71 %. An instruction is issued in 61 % of the cycles, no more than before: what remains is waiting. All "
     "threads of a block load, then wait for what they loaded (1.1 cycles per instruction), then for each other "
     "(0.6), then multiply.",
     "kernels/cuda/gemm/vectorized.cu", lab_text_cuda_gemm_vectorized_cu},
    {"double-buffered", "cuda", "Copying while multiplying",
     "Each tile has two buffers. While the threads multiply what is in one, the next piece of A and B is on its "
     "way into the other, by copies that bypass the registers (cp.async, from sm_80 on; GPUs before load and "
     "store). One barrier for each piece remains of two.\n\n"
     "On an H200, fp32 at 4096 cubed: 40.4 TFLOP/s. Waiting for global memory has gone from the counters (from 1.1 cycles per instruction to "
     "0.01), and an instruction is issued in 74 % of the cycles. A copy moves neighbours to neighbours, so that A "
     "is transposed float by float: four copies instead of one, 5 % more instructions than before. (Fetched into "
     "registers and stored after the multiplication, as one would on a GPU without such copies, it reaches 42.2.) "
     "What is left is within the multiplication: 128 registers per thread, two blocks on a multiprocessor, and "
     "multiply-adds that wait for their operands, 0.9 cycles per instruction, as the next step explains.",
     "kernels/cuda/gemm/double_buffered.cu", lab_text_cuda_gemm_double_buffered_cu},
    {"warp-tiled", "cuda", "fp32 at its best",
     "Three changes. The tile is 128 x 256, each of 8 warps has 64 x 64 of it and each thread 16 x 8: 24 numbers "
     "read for 128 multiply-adds, where it was 16 for 64. The threads of a warp lie as 4 x 8, so that one "
     "instruction reads 16 neighbours of A or 32 of B. And the numbers of the next step are read from shared "
     "memory while those of this one are multiplied. Of the instructions of the loop 90.5 % are multiply-adds, and "
     "a thread takes 210 registers: 8 warps on a multiprocessor, two for each scheduler (12.5 % occupancy), and "
     "yet an instruction is issued in 90 % of the cycles, because those two hardly ever wait.\n\n"
     "On an H200, fp32 at 4096 cubed: 52.5 TFLOP/s, 1.03 of cuBLAS measured in turn with it, 79 % of the ceiling. Two details make much of it, and "
     "both are about registers, which lie in two banks (even and odd numbers). A multiply-add reads three; going "
     "to and fro through the 16 x 8 sums leaves one factor the same as in the multiply-add before, which the "
     "hardware keeps at hand (without it: 50.3). And sums that are stored four at a time must lie in four "
     "neighbouring registers, as the factors do that were loaded four at a time: sum and factor then share a bank. "
     "Adding 0 before storing lets the compiler place the sums elsewhere (without it: 46.4; without either: 48.7).\n\n"
     "What limits it now: the tenth of the instructions that moves data, register banks (0.17 cycles per "
     "instruction), and that 512 tiles on 132 multiprocessors make 3.88 turns, of which the last is not full (3 "
     "%). At 8192 the board's power is the next limit: it draws 690 of 700 W, and the clock gives way by 1 %. "
     "Small products take smaller tiles (64 x 128, 32 x 64), so that all multiprocessors have work: 39.1 TFLOP/s "
     "at 1024 and 20.1 at 512, where cuBLAS makes 36.1 and 16.9.",
     "kernels/cuda/gemm/warp_tiled.cu", lab_text_cuda_gemm_warp_tiled_cu},
    {"mma", "cuda", "Tensor cores, the portable way",
     "Until here every thread multiplied numbers of its own. Now the 32 threads of a warp hand tiles to a tensor "
     "core together: one mma.sync multiplies 16 x 16 by 16 x 8 elements of bf16 or fp16 (16 x 8 by 8 x 8 of tf32), "
     "2048 multiply-adds where a warp's fp32 instruction does 32; the sums stay in fp32. The rest of the kernel "
     "feeds it. Asynchronous copies (cp.async) bring the next stages of A and B past the registers into a ring in "
     "shared memory, ldmatrix deals 8 x 8 tiles out to the threads just as the tensor core wants them, and the "
     "operands of the next multiplication are loaded while the present one runs. The 16-byte pieces of a row are "
     "swapped in shared memory so that pieces that are read together never lie in the same bank. The inputs have "
     "fewer bits than before: 8 significant ones in bf16, 11 in fp16 and tf32. For tf32 the matrices stay fp32 in "
     "memory and the multiplier ignores the last 13 bits; rounding them first (cvt.rna.tf32) would be a little "
     "more accurate and cost a quarter of the speed.\n\n"
     "On an H200 at 8192 cubed, either layout: 482 TFLOP/s in bf16 and 472 in fp16, 0.61 and 0.62 of cuBLAS; tf32 "
     "250 (TN) and 228 (NN), 0.61 and 0.56 of cuBLAS. On Hopper this instruction does not reach the tensor cores' "
     "full rate: the profiler calls the compute units 77 % busy at half of the rate in the datasheet. And the "
     "warps that multiply also do the housekeeping: they compute addresses, start copies, load operands and wait "
     "for each other every 64 bytes along k, while their registers (244 of 255) leave room for only two warps per "
     "scheduler to hide that. Rows that are no multiple of 16 bytes cannot be copied asynchronously: about 78 "
     "TFLOP/s.",
     "kernels/cuda/gemm/mma.cu", lab_text_cuda_gemm_mma_cu},
    {"wgmma", "cuda", "Hopper's own path: nobody waits",
     "One thread, the producer, only orders boxes of A and B from the tensor memory accelerator (TMA), which finds the addresses "
     "and puts zeros beyond the edge by itself. Two warpgroups of 128 threads, the consumers, only queue "
     "multiplications: one wgmma multiplies 64 x 16 by 16 x 256 elements straight from shared memory, 262,144 "
     "multiply-adds, and is still at work when the next is queued. Barriers in shared memory, \"full\" and "
     "\"empty\" for each of four slots, are all that joins them; nobody waits for everybody any more. Blocks stay "
     "for the whole product, so the ring fills for the next tile while one is stored. Two blocks share each box of "
     "B (cluster multicast), which saves a third of the traffic from the L2 cache: 790 TFLOP/s instead of 703 at "
     "4096. Tiles are done in bands, to and fro, and forwards and backwards along k in turn, so that the cache "
     "still holds more of what comes next: 1.14 GB instead of 1.28 go through device memory, and the product is "
     "0.5 % faster.\n\n"
     "On an H200 at 8192 cubed, bf16, either layout: 809 to 815 TFLOP/s for single products with pauses between "
     "them, where cuBLAS makes 788 to 793 in the same run; 700 against 677 without pauses: 1.03 either way. The "
     "limit is power. A product takes 2.138 million cycles, and the multiplications alone would take 2.097 million "
     "(98 %), but the clock, 1.98 GHz at rest, falls to 1.6 GHz at once and to 1.43 GHz after a while; fp16, the "
     "same instructions on numbers with more bits that switch, makes 776. From here on a byte or an instruction "
     "saved is energy saved. Small products lack tiles: at 1024 there are 32 for 132 multiprocessors, and it makes "
     "half of what cuBLAS does with smaller tiles. Rows that are no multiple of 16 bytes do not suit "
     "TMA: A and B are first copied with padded rows, and C is stored element by element, 400 TFLOP/s at 4095 x "
     "4097 x 4093 (cuBLAS: 136 to 155).",
     "kernels/cuda/gemm/wgmma.cu", lab_text_cuda_gemm_wgmma_cu},
    {"cublas", "cuda", "cuBLAS",
     "NVIDIA's library, the line that the other steps are held against. It holds many kernels for each type, generated and "
     "tuned for each generation of devices, and chooses one by the sizes of the matrices; its source is not public. What "
     "stands here is how the lab calls it.\n\n"
     "cuBLAS takes matrices to lie column by column. A matrix that lies row by row is its own transpose in that view, so "
     "the lab asks for C^T = B^T A^T and nothing has to be moved. fp32 is multiplied in fp32, without tf32; sums of 16-bit "
     "types are kept in fp32 all the way.",
     "kernels/cuda/gemm/cublas.c", lab_text_cuda_gemm_cublas_c},
    {"naive", "host", "Three loops, as a textbook has them",
     "Each element of C is the sum of a row of A times a column of B, one multiply-add after the other. Every multiply-add "
     "needs two numbers from memory, and nothing is done to find them there quickly. Where B lies row by row, the next "
     "number of a column is a whole row further on: the CPU fetches a cache line of 64 bytes and uses 4 or 8 of them. Try "
     "the layout tn, where the columns of B lie side by side in memory: the same loops are several times as fast.\n\n"
     "There is a second limit, which no cache takes away: each addition waits for the one before it, because all of them "
     "go into the same sum. A core adds about once in three or four clock cycles, while it could do several additions in "
     "each.",
     "kernels/host/gemm/naive.c", lab_text_host_gemm_naive_c},
    {"tiled-8", "host", "Tiles of 8 x 8 that stay in the cache", host_tiled, "kernels/host/gemm/tiled.c",
     lab_text_host_gemm_tiled_c},
    {"tiled-16", "host", "Tiles of 16 x 16 that stay in the cache", host_tiled, "kernels/host/gemm/tiled.c",
     lab_text_host_gemm_tiled_c},
    {"tiled-32", "host", "Tiles of 32 x 32 that stay in the cache", host_tiled, "kernels/host/gemm/tiled.c",
     lab_text_host_gemm_tiled_c},
    {"blocked", "host", "Packed panels and a tile of C in registers",
     "What is still missing is work for the arithmetic units: even from the first-level cache, a load for each "
     "multiply-add is too much. Here the innermost part, the micro-kernel, keeps a tile of C in vector registers (with "
     "AVX2: 6 x 16 sums of fp32 in 12 registers) and goes along k once. At each step it loads two vectors of B and six "
     "single numbers of A, and does twelve multiply-adds on whole vectors with them: 8 loads for 96 multiply-adds, all "
     "independent of one another, so that none waits for the one before.\n\n"
     "For that to flow, the numbers must come in the right order and from near by. So A and B are packed first: copied "
     "into slivers as high and as wide as the micro-kernel's tile. The rest is cut to the caches: a sliver of B stays in "
     "the first level while all rows of A pass, a block of A in the second, a panel of B in the third. Packing costs a "
     "copy of each matrix, but the product uses each copied number hundreds of times. The text is compiled for vectors of "
     "16, 32 and 64 bytes; the CPU is asked which of them it has. The scheme is that of K. Goto and R. van de Geijn "
     "(\"Anatomy of High-Performance Matrix Multiplication\", 2008), which most libraries follow.",
     "kernels/host/gemm/blocked.c", lab_text_host_gemm_blocked_c},
    {"openblas", "host", "OpenBLAS",
     "The same scheme as the blocked step, with a micro-kernel written in assembly for each family of CPUs, and years of "
     "tuning: the line that the other steps are held against, where the library is installed. Each core of the device "
     "computes its own part of C by a call of its own, so that a device keeps to its cores.",
     "kernels/host/gemm/openblas.c", lab_text_host_gemm_openblas_c},
    {0},
};
