// A member that all objects share.
#include "observe.h"

struct Counted {
    static int made;
    int own;
    Counted()
    {
        made++;
        own = made;
    }
};

int Counted::made = 0;

int main()
{
    int noise = 4;
    Counted::made = input(0);
    Counted a;
    Counted b;
    noise += a.own;
    observe(Counted::made);
    observe(b.own);
    observe(noise);
    return 0;
}
