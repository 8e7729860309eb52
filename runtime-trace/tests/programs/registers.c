/* Functions that get and give back whole vector registers, each for the first time, when the tracer has most to do. */
#include <immintrin.h>
#include <stdlib.h>

#define VECTOR __attribute__((target("avx"), noinline))
#define FUNCTION(n)                                                                                                         \
    VECTOR static __m256d f##n(__m256d a, __m256d b, double c, long d, long e, long f, long g, long h, long i)              \
    {                                                                                                                       \
        return _mm256_add_pd(_mm256_add_pd(a, b), _mm256_set1_pd(c + d + e + f + g + h + i + n));                           \
    }
#define TEN(do, n) do(n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
TEN(FUNCTION, 1)
TEN(FUNCTION, 2)

#define CALL(n)                                                                                                             \
    {                                                                                                                       \
        double got[4];                                                                                                      \
        _mm256_storeu_pd(got, f##n(_mm256_set_pd(4, 3, 2, 1), _mm256_set_pd(40, 30, 20, 10), 0.5, 1, 2, 3, 4, 5, 6));       \
        for (int k = 0; k < 4; k++)                                                                                         \
            if (got[k] != 11 * (k + 1) + 21.5 + n) abort();                                                                 \
    }

VECTOR static void all(void) { TEN(CALL, 1) TEN(CALL, 2) }

int main(void)
{
    if (!__builtin_cpu_supports("avx")) return 0;
    all();
    all();
    return 0;
}
