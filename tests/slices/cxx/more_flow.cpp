// Where control goes in C++: bodies that are tried, switches with initial values, loops left by lambdas, both arms of constants.
#include "observe.h"
#include <functional>
#include <new>
#include <stdexcept>
#include <vector>

struct Checked {
    int kept;
    Checked(int x)
    try : kept(x > 3 ? throw std::runtime_error("large") : x) {
    } catch (const std::runtime_error &) {
        throw 17;
    }
};

template <class T> int size_of(T x)
{
    if constexpr (sizeof(T) > 4)
        return static_cast<int>(x) + 100;
    else
        return static_cast<int>(x) + 200;
}

struct Slot {
    alignas(int) unsigned char bytes[sizeof(int)];
    int *put(int x) { return new (bytes) int(x); }
};

enum class Mode { Fast, Slow };

static int by_mode(Mode mode, int x)
{
    switch (int y = x + 1; mode) {
    case Mode::Fast:
        x += y;
        [[fallthrough]];
    case Mode::Slow:
        return x * 2;
    }
    return 0;
}

int main()
{
    int a = input(0), b = input(1), noise = input(2);
    int caught = 0;
    try {
        Checked checked(a + 3);
        caught = checked.kept;
    } catch (int code) {
        caught = code + b;
    }
    Slot slot;
    int *placed = slot.put(b);
    *placed += a;
    std::vector<std::function<int(int)>> steps;
    for (int i = 0; i < 3; i++)
        steps.push_back([i, &b](int x) { return x + i * b; });
    int through = a;
    for (auto &step : steps)
        through = step(through);
    noise -= through;
    int found = -1;
    auto stop = [&](int at) {
        if (at * at > b + 2)
            found = at;
        return found >= 0;
    };
    for (int at = 0; !stop(at); at++)
        noise++;
    int mode = by_mode(a > 1 ? Mode::Fast : Mode::Slow, b);
    observe(caught);
    observe(*placed);
    observe(through);
    observe(found);
    observe(size_of(a) + size_of(static_cast<long>(b)));
    observe(mode);
    observe(noise);
    return 0;
}
