// Tables of pointers to member functions: at file scope, of a class, in structures, in containers.
#include "observe.h"
#include <array>
#include <map>

struct Machine;
using Step = void (Machine::*)(int);
using Test = bool (Machine::*)() const;

struct Machine {
    int acc = 0, mode = 0, count = 0;
    void add(int n)
    {
        acc += n;
    }
    void mul(int n)
    {
        acc *= n;
    }
    void flip(int n)
    {
        mode = n;
    }
    bool big() const { return acc > 10; }
    bool odd() const { return mode & 1; }
    static const Step steps[3];
    void run(int which, int arg)
    {
        (this->*steps[which])(arg);
        count++;
    }
};

const Step Machine::steps[3] = {&Machine::add, &Machine::mul, &Machine::flip};

struct Entry {
    Test test;
    Step step;
};

static const Entry rules[] = {
    {&Machine::big, &Machine::flip},
    {&Machine::odd, &Machine::mul},
};

static void apply(Machine &m, int arg)
{
    for (const Entry &rule : rules)
        if ((m.*rule.test)())
            (m.*rule.step)(arg);
}

int main()
{
    Machine a;
    int x = input(0);
    a.run(0, x);
    a.run(1, input(1));
    observe(a.acc);
    Machine b;
    int y = input(2) + 8;
    b.run(0, y);
    apply(b, 3);
    observe(b.acc);
    observe(b.mode);
    std::map<int, Step> by_number;
    by_number[7] = &Machine::flip;
    by_number[8] = &Machine::add;
    Machine c;
    int z = input(3);
    (c.*by_number[8])(z);
    observe(c.acc);
    std::array<Test, 2> tests{&Machine::big, &Machine::odd};
    Machine d;
    int v = input(4);
    d.flip(v);
    observe((d.*tests[1])());
    observe(a.count);
    return 0;
}
