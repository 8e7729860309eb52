/* Values that clang describes by conversions between integer types (-gdwarf-5, optimised). */
#include <stdio.h>
#include <stdlib.h>
long step(int a, unsigned b, short s, unsigned char u)
{
    long sum = 0;
    for (int i = a; i < (int)b; i++) {
        long wide = i;
        unsigned long uw = b + (unsigned)i;
        short narrow = (short)(i * s);
        sum += wide * 3 + (long)uw;
        int plus = narrow + u;
        printf("%ld %d\n", sum, i);
        unsigned char cc = (unsigned char)(i + u);
        long back = (signed char)cc;
        sum ^= rand() + back + plus;
    }
    return sum;
}

int main(int argc, char **argv)
{
    return (int)step(-argc * 3, (unsigned)argc + 9u, (short)(argc - 70), (unsigned char)(argc + 200)) & (argv == 0);
}
