// A class that derives from one of the library.
#include "observe.h"
#include <vector>

static int unused = 0;

struct list : std::vector<int> {
    void add(int n)
    {
        push_back(n);
        unused++;
    }
    int total()
    {
        int sum = 0;
        for (int n : *this)
            sum += n;
        return sum;
    }
    int last() { return back(); }
};

int main()
{
    list l;
    l.add(input(0));
    l.push_back(input(1));
    observe(l.total());
    l.pop_back();
    observe(l.last());
    observe(l.size());
    return 0;
}
