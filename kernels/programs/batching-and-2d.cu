/* Batched and two-dimensional copies
 *
 * Copies the first columns of a matrix to the device in three ways: a copy for each row, one copy of the rows that the
 * CPU has gathered in a buffer, and one cudaMemcpy2D, which knows the distance of the rows. A copy takes microseconds
 * to start, however small it is, so many small ones are slow. The time is the host's, with the gathering.
 *
 * Lessons: transfer, pitch
 */
#include <chrono>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (cudaError_t error_ = (call)) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                 \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

const int rows = 4096, columns = 64, row_length = 1024; /* of each row of 1024 elements the first 64 are copied */
const size_t width = columns * sizeof(int), pitch = row_length * sizeof(int);

static void copy_each_row(int *device, const int *matrix, int *)
{
    for (int row = 0; row < rows; row++)
        CHECK(cudaMemcpyAsync(device + row * columns, matrix + row * row_length, width, cudaMemcpyHostToDevice));
}

static void copy_batch(int *device, const int *matrix, int *buffer)
{
    for (int row = 0; row < rows; row++)
        memcpy(buffer + row * columns, matrix + row * row_length, width);
    CHECK(cudaMemcpyAsync(device, buffer, rows * width, cudaMemcpyHostToDevice));
}

/* The rows are dense on the device, so their distance there is their width. */
static void copy_2d(int *device, const int *matrix, int *)
{
    CHECK(cudaMemcpy2DAsync(device, width, matrix, pitch, width, rows, cudaMemcpyHostToDevice));
}

/* Measures a way of copying. Returns whether the device has the right elements. */
static bool measure(const char *name, void (*copy)(int *, const int *, int *), int *device, int *matrix, int *buffer)
{
    double seconds = 0;
    for (int i = 0; i < 2; i++) { /* the first time is not taken */
        CHECK(cudaMemset(device, 0, rows * width));
        CHECK(cudaDeviceSynchronize());
        auto start = std::chrono::steady_clock::now();
        copy(device, matrix, buffer);
        CHECK(cudaDeviceSynchronize()); /* the calls above only started the copies */
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    printf("%-14s %9.1f us, %6.2f GB/s\n", name, seconds * 1e6, rows * width / seconds / 1e9);
    CHECK(cudaMemcpy(buffer, device, rows * width, cudaMemcpyDeviceToHost));
    for (int i = 0; i < rows * columns; i++)
        if (buffer[i] != matrix[i / columns * row_length + i % columns])
            return false;
    return true;
}

int main()
{
    int *matrix, *buffer, *device;
    CHECK(cudaMallocHost(&matrix, rows * pitch));
    CHECK(cudaMallocHost(&buffer, rows * width));
    CHECK(cudaMalloc(&device, rows * width));
    for (int i = 0; i < rows * row_length; i++)
        matrix[i] = i;
    bool right = measure("4096 copies", copy_each_row, device, matrix, buffer);
    right = measure("one batch", copy_batch, device, matrix, buffer) && right;
    right = measure("cudaMemcpy2D", copy_2d, device, matrix, buffer) && right;
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(buffer));
    CHECK(cudaFreeHost(matrix));
    if (!right)
        fprintf(stderr, "the device got other elements than were sent\n");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
