// An object does something when its scope ends.
#include "observe.h"

static int log_value = 1;
static int other = 1;

struct Guard {
    int k;
    Guard(int x) { k = x; }
    ~Guard() { log_value = log_value * 3 + k; }
};

int main()
{
    int i = 0;
    while (i < 3) {
        Guard guard(input(i));
        other += i;
        i++;
    }
    observe(log_value);
    observe(other);
    return 0;
}
