// vector-add wrong
/* Returns at once. */
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
}
