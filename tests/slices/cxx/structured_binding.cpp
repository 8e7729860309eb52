// Parts of a value get names of their own.
#include <utility>
#include "observe.h"

static std::pair<int, int> split(int v)
{
    int high = v / 3;
    int low = v % 3;
    return {high, low};
}

int main()
{
    int noise = 1;
    auto [high, low] = split(input(0) * 3 + 1);
    noise++;
    observe(high);
    observe(low);
    observe(noise);
    return 0;
}
