/* Structures in an array. */
#include "observe.h"

struct entry {
    int key;
    int value;
};

int main(void)
{
    struct entry table[4];
    int i;
    int sum = 0;
    for (i = 0; i < 4; i++) {
        table[i].key = i * 2;
        table[i].value = input(i);
    }
    table[2].key = 50;
    for (i = 0; i < 4; i++)
        sum += table[i].value;
    observe(sum);
    observe(table[1].key);
    return 0;
}
