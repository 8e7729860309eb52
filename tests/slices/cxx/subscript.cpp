// A subscript is a function, and what it returns is written to.
#include "observe.h"

struct Table {
    int cells[4];
    int used;
    Table()
    {
        for (int i = 0; i < 4; i++)
            cells[i] = i;
        used = 0;
    }
    int &operator[](int i)
    {
        used++;
        return cells[i];
    }
};

int main()
{
    Table t;
    int noise = 3;
    t[1] = input(0);
    t[2] += 5;
    noise--;
    observe(t[1]);
    observe(t.cells[2]);
    observe(t.used);
    observe(noise);
    return 0;
}
