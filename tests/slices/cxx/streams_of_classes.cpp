// The program has an `operator<<` for its own class: numbers go into streams by the library's all the same.
#include <sstream>
#include <string>
#include "observe.h"

struct Point {
    int x, y;
};

static std::ostream &operator<<(std::ostream &to, const Point &point)
{
    return to << point.x << ',' << point.y;
}

static int sum(const std::string &text)
{
    int all = 0;
    for (char letter : text)
        all = (all * 3 + letter) % 1000003;
    return all;
}

int main()
{
    int n = input(0);
    std::ostringstream number;
    number << n * 10;
    observe(sum(number.str()));
    Point point = {n, 2 * n};
    std::ostringstream of_point;
    of_point << point;
    observe(sum(of_point.str()));
    std::ostringstream mixed;
    mixed << point << n << point;
    observe(sum(mixed.str()));
    return 0;
}
