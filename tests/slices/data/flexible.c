/* A member without a size at the end. */
#include "observe.h"
#include <stdlib.h>

struct message {
    int length;
    int body[];
};

int main(void)
{
    struct message *m = malloc(sizeof *m + 4 * sizeof m->body[0]);
    int i;
    int sum = 0;
    m->length = input(0) % 4;
    for (i = 0; i < 4; i++)
        m->body[i] = i * 3;
    for (i = 0; i < m->length; i++)
        sum += m->body[i];
    free(m);
    m = 0;
    observe(sum);
    return 0;
}
