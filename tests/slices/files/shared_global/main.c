/* A global of another file. */
#include "observe.h"
#include "shared.h"

int main(void)
{
    int noise = limit;
    raise_limit(input(0));
    noise++;
    observe(limit);
    return 0;
}
