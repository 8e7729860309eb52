/* The upper parts of vector registers are not in use. Once they are, code that knows the lower parts alone is slower until somebody clears them. */
#include <cpuid.h>
#include <stdio.h>

#define UNSEEN __attribute__((no_instrument_function, noinline))

__attribute__((noinline)) static void first(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void second(void) { __asm__ volatile(""); }

UNSEEN static unsigned in_use(void)
{
    unsigned parts, rest;
    __asm__ volatile("xgetbv" : "=a"(parts), "=d"(rest) : "c"(1));
    return parts & (1 << 2 | 1 << 6);
}

UNSEEN int main(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_AVX) || !__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a & 4)) return 0;
    __asm__ volatile("vzeroupper");
    unsigned before = in_use();
    first();
    unsigned after = in_use();
    /* What is new is a rare event. */
    second();
    printf("%u %u %u\n", before, after, in_use());
    return before != after || before != in_use();
}
