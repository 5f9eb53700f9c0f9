/* Asynchronous calls and polling
 *
 * Copies and a kernel are issued to the device. The calls return at once, and the CPU computes pi until an event says
 * that the device has finished; with a wait in place of the polling the CPU would have done nothing. Events give the
 * time of the device, a clock of the host the time that the calls took.
 *
 * Lessons: waiting, launch, overlap
 */
#include <chrono>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (cudaError_t error_ = (call)) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                 \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

const int count = 16 << 20, block = 512, amount = 26;
const size_t bytes = count * sizeof(int);

__global__ void increment(int *x, int amount)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += amount;
}

static double now_ms()
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* Work of the CPU: adds the next 1000 terms of a series for pi. */
static void add_terms(double *pi, long *terms)
{
    for (int i = 0; i < 1000; i++, ++*terms)
        *pi += (*terms % 2 == 0 ? 4.0 : -4.0) / (2.0 * (double)*terms + 1);
}

int main()
{
    int *host, *device, wrong = 0;
    cudaEvent_t start, stop;
    CHECK(cudaMallocHost(&host, bytes)); /* pinned: the calls for pageable memory would wait for the copies */
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < count; i++)
        host[i] = i;
    increment<<<count / block, block>>>(device, 0); /* the first launch loads the code */
    CHECK(cudaDeviceSynchronize());

    double begin = now_ms();
    CHECK(cudaEventRecord(start));
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
    increment<<<count / block, block>>>(device, amount);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(stop));
    double issued = now_ms();

    double pi = 0;
    long terms = 0, polls = 0;
    cudaError_t state;
    do { /* cudaErrorNotReady is no error: the device is still at work */
        add_terms(&pi, &terms);
        polls++;
    } while ((state = cudaEventQuery(stop)) == cudaErrorNotReady);
    CHECK(state);

    float device_ms;
    CHECK(cudaEventElapsedTime(&device_ms, start, stop));
    for (int i = 0; i < count; i++)
        wrong += host[i] != i + amount;
    printf("the device worked for    %8.3f ms\n", device_ms);
    printf("the calls returned after %8.3f ms\n", issued - begin);
    printf("meanwhile the CPU asked %ld times and added %ld terms: pi is about %.9f\n", polls, terms, pi);
    printf("%d wrong elements\n", wrong);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return wrong == 0 && fabs(pi - acos(-1.0)) < 4.0 / (double)terms ? EXIT_SUCCESS : EXIT_FAILURE;
}
