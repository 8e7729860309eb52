// A loop over a range reads its elements, and may write them.
#include <vector>
#include "observe.h"

int main()
{
    std::vector<int> v;
    int sum = 0;
    int count = 0;
    for (int i = 0; i < 4; i++)
        v.push_back(input(i));
    for (int &x : v)
        x *= 2;
    for (int x : v) {
        if (x > 9)
            continue;
        sum += x;
        count++;
    }
    observe(sum);
    observe(count);
    return 0;
}
