// Members of classes that are defined where they are declared.
#include "observe.h"

struct Counter {
    static inline int count = 0;
    inline static int started = input(9);
    static constexpr int step = 4;
    int own = 0;
    void up()
    {
        own = input(1);
        count += step;
        started++;
    }
};

struct Doubled : Counter {
    void twice()
    {
        count *= 2;
        up();
    }
};

template <class T> struct Sums {
    static inline T all = T();
    static inline T rest = T(3);
    void add(T x)
    {
        all += x;
        rest -= x;
    }
};

struct Position {
    static inline struct {
        int x, y;
    } at = {1, 2};
    static inline int numbers[3] = {1, 2, 3};
    static int &number(int i)
    {
        return numbers[i];
    }
    static void move(int by)
    {
        at.x += by;
        at.y -= by;
    }
};

class Listed {
    static inline Listed *last = nullptr;
    int id;
    Listed *before;

  public:
    explicit Listed(int i) : id(i), before(last)
    {
        last = this;
    }
    ~Listed()
    {
        last = before;
    }
    static int sum()
    {
        int s = 0;
        for (Listed *each = last; each; each = each->before)
            s += each->id;
        return s;
    }
};

int main()
{
    Counter counter;
    counter.up();
    Doubled doubled;
    doubled.twice();
    Counter::count += input(1);
    Sums<int> sums;
    sums.add(input(2));
    Position::move(input(3));
    Position::number(1) = input(4);
    int both;
    {
        Listed one(input(5));
        Listed two(input(6));
        both = Listed::sum();
    }
    int noise = input(7);
    observe(Counter::count);
    observe(Doubled::started);
    observe(Sums<int>::all);
    observe(Sums<int>::rest);
    observe(Position::at.x);
    observe(Position::numbers[1]);
    observe(both);
    observe(Listed::sum());
    observe(noise);
    return 0;
}
