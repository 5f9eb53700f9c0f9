/* Measures host-device copies with a plain loop: 16 cudaMemcpyAsync between two events, page-locked memory. It shares
 * no code with kernels/, so that gpulab's results can be compared with it.
 *
 *   gpulab-plain-copy [BYTES [REPEATS [DEVICE]]]
 *
 * Prints one JSON line for each direction, with bandwidths in GB/s (10^9 bytes per second). Defaults: 256 MiB, 20
 * repeats, device 0.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

static const int copies_per_sample = 16;

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "gpulab-plain-copy: %s: %s: %s\n", what, cudaGetErrorName(status), cudaGetErrorString(status));
    exit(1);
}

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

static double sample(void *destination, const void *source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                     cudaEvent_t start, cudaEvent_t stop)
{
    float milliseconds;
    must(cudaEventRecord(start, stream), "record");
    for (int i = 0; i < copies_per_sample; i++)
        must(cudaMemcpyAsync(destination, source, bytes, kind, stream), "copy");
    must(cudaEventRecord(stop, stream), "record");
    must(cudaEventSynchronize(stop), "synchronize");
    must(cudaEventElapsedTime(&milliseconds, start, stop), "elapsed time");
    return copies_per_sample * (double)bytes / (milliseconds * 1e-3) / 1e9;
}

static void print(const char *direction, size_t bytes, const std::vector<double> &samples)
{
    printf("{\"direction\":\"%s\",\"bytes\":%zu,\"bandwidth\":%.6g,\"samples\":[", direction, bytes, median(samples));
    for (size_t i = 0; i < samples.size(); i++)
        printf("%s%.6g", i == 0 ? "" : ",", samples[i]);
    printf("]}\n");
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoull(argv[1], nullptr, 10) : (size_t)256 << 20;
    int repeats = argc > 2 ? atoi(argv[2]) : 20;
    int device = argc > 3 ? atoi(argv[3]) : 0;
    if (bytes == 0 || repeats < 1 || device < 0 || argc > 4) {
        fprintf(stderr, "usage: gpulab-plain-copy [BYTES [REPEATS [DEVICE]]]\n");
        return 2;
    }

    void *host, *memory;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    must(cudaSetDevice(device), "device");
    must(cudaMallocHost(&host, bytes), "page-locked memory");
    must(cudaMalloc(&memory, bytes), "device memory");
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    must(cudaEventCreate(&start), "event");
    must(cudaEventCreate(&stop), "event");
    for (size_t i = 0; i < bytes; i++)
        static_cast<unsigned char *>(host)[i] = (unsigned char)(i * 2654435761u >> 13);

    sample(memory, host, bytes, cudaMemcpyHostToDevice, stream, start, stop);
    sample(host, memory, bytes, cudaMemcpyDeviceToHost, stream, start, stop);
    std::vector<double> up, down;
    for (int i = 0; i < repeats; i++) {
        up.push_back(sample(memory, host, bytes, cudaMemcpyHostToDevice, stream, start, stop));
        down.push_back(sample(host, memory, bytes, cudaMemcpyDeviceToHost, stream, start, stop));
    }
    print("h2d", bytes, up);
    print("d2h", bytes, down);

    must(cudaEventDestroy(stop), "event");
    must(cudaEventDestroy(start), "event");
    must(cudaStreamDestroy(stream), "stream");
    must(cudaFree(memory), "device memory");
    must(cudaFreeHost(host), "page-locked memory");
    return 0;
}
