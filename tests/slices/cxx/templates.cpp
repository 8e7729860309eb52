// One template, several functions.
#include "observe.h"

template <class T> struct Box {
    T value;
    int puts = 0;
    void put(T v)
    {
        value = v;
        puts++;
    }
    T get() { return value; }
};

template <class T> static T larger(T a, T b)
{
    if (a > b)
        return a;
    return b;
}

int main()
{
    Box<int> ints;
    Box<long> longs;
    int noise = 0;
    ints.put(input(0));
    longs.put(input(1));
    noise += 3;
    observe(larger(ints.get(), 4));
    observe(longs.get());
    observe(ints.puts);
    observe(noise);
    return 0;
}
