/* A pointer walks over an array. */
#include "observe.h"

int main(void)
{
    int data[5];
    int *p;
    int sum = 0;
    int count = 0;
    for (p = data; p < data + 5; p++) {
        *p = input((int) (p - data));
        count++;
    }
    for (p = data; p != data + 5; ++p)
        sum += *p;
    observe(sum);
    observe(count);
    return 0;
}
