#include "shared.h"

int limit = 3;
static int raised;

void raise_limit(int by)
{
    raised++;
    limit += by;
}
