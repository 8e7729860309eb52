// An allocator of the program, which the container of the library calls.
#include "observe.h"
#include <cstdlib>
#include <vector>

static int allocated = 0;
static int last_size = 0;

template <class T> struct Counting {
    using value_type = T;
    Counting() = default;
    template <class U> Counting(const Counting<U> &) {}
    T *allocate(std::size_t n)
    {
        allocated++;
        last_size = (int) n;
        return (T *) std::malloc(n * sizeof(T));
    }
    void deallocate(T *p, std::size_t) { std::free(p); }
};

template <class T, class U> bool operator==(const Counting<T> &, const Counting<U> &)
{
    return true;
}
template <class T, class U> bool operator!=(const Counting<T> &, const Counting<U> &)
{
    return false;
}

int main()
{
    std::vector<int, Counting<int>> v;
    int n = input(0) + 1;
    v.resize(n);
    v[0] = input(1);
    observe(last_size);
    observe(allocated);
    observe(v[0]);
    return 0;
}
