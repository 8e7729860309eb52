// A class that derives from one of the library; another class has functions of the same names.
#include "observe.h"
#include <vector>

static int unused = 0;

struct last_of {
    int kept = 0;
    void push_back(int n) { kept = n; }
    int back() { return kept; }
};

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

struct longer : list {
    void add_two(int n)
    {
        push_back(n);
        auto once_more = [&] { push_back(n + 1); };
        once_more();
    }
};

int main()
{
    last_of other;
    other.push_back(input(2));
    observe(other.back());
    longer l;
    l.add_two(input(0) + 2);
    l.add(input(0));
    l.push_back(input(1));
    observe(l.total());
    l.pop_back();
    observe(l.last());
    observe(l.size());
    return 0;
}
