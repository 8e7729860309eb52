// The library calls a lambda, which decides an order.
#include <algorithm>
#include <vector>
#include "observe.h"

int main()
{
    std::vector<int> v;
    int pivot = input(0);
    int calls = 0;
    int noise = 0;
    for (int i = 1; i < 6; i++)
        v.push_back(input(i) + i);
    std::sort(v.begin(), v.end(), [&](int a, int b) {
        calls = 1;
        return (a - pivot) * (a - pivot) < (b - pivot) * (b - pivot) || ((a - pivot) * (a - pivot) == (b - pivot) * (b - pivot) && a < b);
    });
    noise++;
    observe(v[0]);
    observe(calls);
    observe(noise);
    return 0;
}
