// A loop over a range of the program's own calls its functions.
#include "observe.h"

struct Range {
    int from;
    int to;
    struct Iterator {
        int at;
        int operator*() const { return at * 2; }
        Iterator &operator++()
        {
            at++;
            return *this;
        }
        bool operator!=(const Iterator &o) const { return at != o.at; }
    };
    Iterator begin() const { return Iterator{from}; }
    Iterator end() const { return Iterator{to}; }
};

int main()
{
    Range range;
    int noise = 0;
    int sum = 0;
    range.from = 1;
    range.to = 2 + input(0);
    for (int x : range) {
        sum += x;
    }
    noise++;
    observe(sum);
    observe(noise);
    return 0;
}
