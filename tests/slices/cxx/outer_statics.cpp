// What is static or constant in a function is named by its lambdas, by classes that stand in it, and by their lambdas.
#include "observe.h"

struct Named {
    int step;
};

static int of_lambdas()
{
    static int scale, unused, kept;
    auto plain = [](int a) { return a * (scale + 3); };
    auto nested = [](int a) {
        auto inner = [](int x) { return x + kept; };
        return inner(a);
    };
    scale = input(1) + 4;
    unused = input(2);
    kept = input(3) * 2;
    return plain(2) + nested(5);
}

static int of_called_lambdas()
{
    static int base;
    base = input(4);
    static auto first = [](int a) { return a + base; };
    auto second = [](int a) { return first(a) * 3; };
    return second(7);
}

static int of_classes(int times)
{
    static int total, step, noise;
    const int least = input(5) + 2;
    static const int most = least + 40;
    struct Walker {
        int at = step;
        int go()
        {
            int by = step + 1;
            total += by;
            noise++;
            return at + by;
        }
        int left()
        {
            auto rest = [] { return most - total; };
            return rest();
        }
    };
    step = input(6);
    total = input(7);
    noise = input(8);
    Walker walker;
    int sum = 0;
    for (int i = 0; i < times; i++)
        sum += walker.go();
    sum += walker.left();
    return sum + total;
}

static int of_bases()
{
    static int step;
    struct Inherits : Named {
        int go() { return step * 2; }
    };
    struct Own {
        int step;
        int go() { return step * 3; }
    };
    struct Neither {
        int go() { return step * 5; }
    };
    step = input(9);
    Inherits inherits;
    inherits.step = input(10);
    Own own;
    own.step = input(11);
    Neither neither;
    return inherits.go() + own.go() + neither.go();
}

int main()
{
    int lambdas = of_lambdas();
    int called = of_called_lambdas();
    int classes = of_classes(3);
    int bases = of_bases();
    observe(lambdas);
    observe(called);
    observe(classes);
    observe(bases);
    return 0;
}
