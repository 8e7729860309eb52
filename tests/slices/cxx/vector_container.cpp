// What a vector holds was put there.
#include <vector>
#include "observe.h"

int main()
{
    std::vector<int> v;
    std::vector<int> other;
    int noise = 1;
    v.push_back(input(0));
    v.push_back(4);
    other.push_back(input(1));
    v[1] = v[0] + 2;
    noise += 7;
    observe(v[1]);
    observe(v.size());
    observe(other[0]);
    observe(noise);
    return 0;
}
