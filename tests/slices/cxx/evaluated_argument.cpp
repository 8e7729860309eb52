/* Arguments whose values decide nothing, but which have to be evaluated: through pointers, and by copying objects. */
#include "observe.h"
#include <string>
#include <vector>

struct Cell {
    int value;
    Cell *next;
    int following() const { return next->value; }
};

static int pick(int wanted, int ignored)
{
    (void)ignored;
    return wanted - 1;
}

static int first(int wanted, std::vector<int> ignored)
{
    (void)ignored;
    return wanted - 2;
}

static int named(int wanted, std::string ignored)
{
    (void)ignored;
    return wanted - 3;
}

int main()
{
    int a = input(0);
    int place = input(1) & 3;
    std::vector<int> table{1, 2, 3, 4};
    std::string name = "a name that is longer than what fits in the object itself";
    Cell last{3, nullptr};
    Cell cell{2, &last};
    Cell *pointer = &cell;
    Cell &reference = *pointer;
    observe(pick(a, pointer->next->value));
    observe(pick(a + 1, reference.following()));
    observe(pick(a + 2, table[place]));
    observe(pick(a + 3, table.at(place)));
    observe(first(a + 4, table));
    observe(named(a + 5, name));
    return 0;
}
