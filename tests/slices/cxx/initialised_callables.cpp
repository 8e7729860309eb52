// Members that a constructor initialises in parentheses, and that are called: they are no functions of their names.
#include "observe.h"

struct Setter {
    int *to;
    void operator()() const
    {
        *to = input(1);
    }
};

template <class F> struct Guard {
    F act;
    explicit Guard(F f) : act(f)
    {
    }
    ~Guard()
    {
        act();
    }
};

template <class F> static Guard<F> guard(F f)
{
    return Guard<F>(f);
}

struct Steps {
    int by;
    int (*step)(int);
    Setter last;
    Steps(int (*f)(int), Setter setter) noexcept : by{2}, step(f), last(setter)
    {
    }
    int go(int x)
    {
        last();
        return step(x) * by;
    }
};

static int next(int x)
{
    return x + input(2);
}

int main()
{
    int deduced = 0, declared = 0, made = 0, last = 0;
    {
        auto act = [&deduced] {
            deduced += input(3);
        };
        Guard<decltype(act)> h(act);
        deduced = 3;
        Guard<Setter> other(Setter{&declared});
        declared = 7;
        auto third = guard([&] {
            made = input(4);
        });
        made = 5;
    }
    Steps steps(next, Setter{&last});
    int went = steps.go(input(5));
    int noise = input(6);
    observe(deduced);
    observe(declared);
    observe(made);
    observe(went);
    observe(last);
    observe(noise);
    return 0;
}
