// The library throws.
#include <stdexcept>
#include <string>
#include <vector>
#include "observe.h"

static int sum = 0;

static void read(const std::vector<int> &v, int i)
{
    int noise = i;
    v.at(i);
    sum += 10;
    noise++;
}

int main()
{
    std::vector<int> v(5);
    int caught = 0;
    for (int i = 0; i < 4; i++) {
        try {
            read(v, input(i));
        } catch (const std::out_of_range &) {
            caught++;
        }
    }
    observe(sum);
    observe(caught);
    return 0;
}
