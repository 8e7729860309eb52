// Functions of the program whose names the standard library has as well.
#include "observe.h"
#include <algorithm>
#include <thread>

static int unused = 0;

static void sort(int *p)
{
    unused += *p;
}

static void for_each(int n)
{
    unused += n;
}

static void thread(int &x)
{
    unused += x;
}

static void work(int *to, int v)
{
    *to = v;
}

struct Bag {
    int total = 0;
    int swap = 0;
    void fill(int n) { total += n; }
    void exchange(Bag &other) { std::swap(total, other.total); }
};

int main()
{
    int a[3] = {3, input(0), 1};
    int calls = 0;
    std::sort(a, a + 3, [&](int x, int y) {
        calls += input(1);
        return x < y;
    });
    observe(a[0]);
    observe(calls);
    int made = 0;
    auto made_by = std::thread(work, &made, input(2));
    made_by.join();
    observe(made);
    int sum = 0;
    std::for_each(a, a + 3, [&sum](int x) {
        sum += x;
    });
    observe(sum);
    Bag one, other;
    one.fill(input(3));
    one.exchange(other);
    observe(other.total);
    int filled[2] = {0, 0};
    std::fill(filled, filled + 2, input(4));
    observe(filled[1]);
    sort(a);
    for_each(2);
    thread(sum);
    return 0;
}
