// Loops over ranges of all kinds. Arguments: the case, what is different on the tasks (0 or 1), and the visits of step() at which it
// says where it is and stays until it is sent a character. Where it is: 1000 times the elements before `x`, plus 10 times those before `y`, plus the
// number of the call in the body.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <forward_list>
#include <initializer_list>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

static int visits, next_stay, stays[16];

__attribute__((noinline, noclone)) static void stay(int place)
{
    printf("staying %d\n", place);
    fflush(stdout);
    // A stop disturbs no read, so that whoever looks may always read the registers too.
    char go_on;
    while (read(0, &go_on, 1) != 1)
        continue;
}

extern "C" __attribute__((noinline, noclone)) void step(int place)
{
    if (++visits == stays[next_stay]) {
        next_stay++;
        stay(place);
    }
    __asm__ volatile("");
}

static std::vector<int> numbers(int count)
{
    std::vector<int> made;
    for (int i = 0; i < count; i++)
        made.push_back(i);
    return made;
}

struct wide {
    int at;
    double filler[3];
};

struct holder {
    std::vector<int> items;
    void run();
};

void holder::run()
{
    for (auto x : items)
        step(1000 * x);
}

static void array(const int (&items)[8])
{
    for (const int &x : items) {
        step(1000 * x);
        step(1000 * x + 1);
    }
}

static void standard_array(const std::array<int, 8> &items)
{
    for (const auto &x : items) {
        for (int y : {0, 1, 2})
            step(1000 * x + 10 * y);
        step(1000 * x + 99);
    }
}

static void wide_elements(std::vector<wide> items)
{
    for (auto x : items)
        step(1000 * x.at + int(x.filler[0]));
}

static void nested(const std::vector<std::vector<int>> &rows)
{
    int row = 0;
    for (auto &x : rows) {
        for (int y : x)
            step(1000 * row + 10 * y);
        row = x.back() >= 0 ? row + 1 : row;
    }
}

// The inner loop's variable hides the outer one's.
static void hidden(const std::vector<int> &outer, const std::vector<int> &inner)
{
    for (int x : outer) {
        int place = 1000 * x;
        step(place);
        for (int x : inner)
            step(place + 10 * x + 1);
    }
}

static void replaced(std::vector<int> items, int more)
{
    for (int x : items) {
        step(1000 * x);
        if (x == 3) {
            items = numbers(20 + more);
            step(1000 * x + 1);
            step(1000 * x + 2);
            break;
        }
    }
}

// The elements that the loop goes along belong to the other vector from the third one on.
static void swapped(std::vector<int> items, std::vector<int> others)
{
    for (int x : items) {
        if (x == 2)
            items.swap(others);
        step(1000 * x);
    }
}

static void appended(std::vector<int> items)
{
    items.reserve(100);
    for (int x : items) {
        step(1000 * x);
        if (x > 2)
            items.push_back(x);
    }
}

static void map(const std::map<int, int> &items)
{
    for (const auto &[key, x] : items)
        step(1000 * x + key - x);
}

template <class T> static void nodes(const T &items)
{
    for (auto x : items)
        step(1000 * x);
}

struct node {
    int at;
    node *next;
};

struct chain {
    struct iterator {
        node *place;
        iterator &operator++() { place = place->next; return *this; }
        node &operator*() const { return *place; }
        bool operator!=(const iterator &other) const { return place != other.place; }
    };
    node *first;
    iterator begin() const { return {first}; }
    iterator end() const { return {nullptr}; }
};

// Backwards in memory.
static void linked()
{
    static node all[8];
    for (int i = 0; i < 8; i++)
        all[i] = {7 - i, i > 0 ? &all[i - 1] : nullptr};
    for (auto &x : chain{&all[7]})
        step(1000 * x.at);
}

struct window {
    int *first, *last;
    int *begin() const { return first; }
    int *end() const { return last; }
};

static void part(std::vector<int> items, int from)
{
    for (int &item : items)
        item -= from;
    for (int x : window{items.data() + from, items.data() + items.size()})
        step(1000 * x);
}

struct later : std::vector<int> {
    using std::vector<int>::vector;
    iterator begin() { return std::vector<int>::begin() + 2; }
};

static void derived(int count)
{
    later items(count);
    for (int i = 2; i < count; i++)
        items[i] = i - 2;
    for (int x : items)
        step(1000 * x);
}

template <class T> static void any(const std::vector<T> &items)
{
    for (T x : items)
        step(1000 * int(x));
}

struct reversed {
    std::vector<int> &items;
    auto begin() const { return items.rbegin(); }
    auto end() const { return items.rend(); }
};

static void backwards(std::vector<int> items)
{
    int last = int(items.size()) - 1;
    for (int x : reversed{items})
        step(1000 * (last - x));
}

static void made(int count)
{
    for (int x : numbers(count)) {
        if (x % 3 == 1)
            continue;
        step(1000 * x);
    }
}

static void bits(int count)
{
    std::vector<bool> items(count);
    int at = 0;
    for (bool x : items)
        step(1000 * (x ? 0 : at++));
}

static inline void inner(const std::vector<int> &items, int place)
{
    for (int y : items)
        step(place + 10 * y);
}

static void inlined(const std::array<int, 6> &outer, const std::vector<int> &items)
{
    for (int x : outer)
        inner(items, 1000 * x);
}

static void lambda(const std::vector<int> &outer, const std::vector<int> &items)
{
    for (int x : outer) {
        auto each = [&](int base) {
            for (int y : items)
                step(base + 10 * y);
        };
        each(1000 * x);
    }
}

static void table(const int (&items)[4][3])
{
    int row = 0;
    for (auto &x : items) {
        for (int y : x)
            step(1000 * row + 10 * y);
        row++;
    }
}

static void listed(std::initializer_list<int> items)
{
    for (int x : items)
        step(1000 * x);
}

static void letters(const std::string &items)
{
    for (char x : items)
        step(1000 * (x - 'a'));
}

// What the loop asks its range stays as well, before there is an iterator.
struct asked {
    std::vector<int> items;
    const int *begin() const
    {
        step(10);
        return items.data();
    }
    const int *end() const
    {
        step(20);
        return items.data() + items.size();
    }
};

static asked fetched(int count)
{
    step(1);
    return {numbers(count)};
}

static void asking(int count)
{
    for (int x : fetched(count))
        step(1000 * x + 30);
    step(99999);
}

// Elements that stay when they go: copies with each iteration, and all of them behind the loop.
struct leaving {
    int place;
    bool is_copy;
    leaving(int place) : place(place), is_copy(false) {}
    leaving(const leaving &other) : place(other.place), is_copy(true) {}
    ~leaving() { step(is_copy ? 1000 * place + 5 : 50009 - place); }
};

static void gone()
{
    for (auto x : std::array<leaving, 3>{0, 1, 2})
        step(1000 * x.place);
}

// Left by an exception, and begun anew.
static void thrown(const std::vector<int> &items)
{
    int base = 0;
    for (int tries = 0; tries < 3; tries++) {
        try {
            for (int x : items) {
                step(base + 1000 * x);
                if (x == tries)
                    throw x;
            }
        } catch (int at) {
            step(base + 1000 * at + 500);
        }
        base += 10000;
    }
}

static void again(const std::vector<int> &items)
{
    int base = 0;
restart:
    for (int x : items) {
        step(base + 1000 * x);
        if (x == 2 && base < 20000) {
            base += 10000;
            goto restart;
        }
    }
}

// The vector is gone, and its place is used otherwise.
struct numbered {
    long number;
    std::vector<int> items;
};

static void deleted(std::vector<int> items)
{
    auto *all = new numbered{7, std::move(items)};
    for (int x : all->items) {
        step(1000 * x);
        if (x == 1) {
            delete all;
            step(1000 * x + 1);
            step(1000 * x + 2);
            step(1000 * x + 3);
            return;
        }
    }
}

static void bound(const std::array<std::pair<int, int>, 8> &items)
{
    int at = 0;
    for (auto [x, other] : items)
        step(1000 * at++ + other - other);
}

struct tree {
    int place;
    std::vector<tree> below;
};

static void walk(const tree &node)
{
    step(node.place);
    for (const tree &x : node.below)
        walk(x);
}

static void one_line(const std::vector<std::vector<int>> &rows)
{
    int at = 0;
    for (auto &x : rows) { for (int x : x) step(1000 * at++ + x - x); for (int x : rows[0]) step(1000 * at++ + x - x); }
}

#define EACH(x, items, statement) for (auto x : items) statement

static void expanded(const std::vector<int> &items)
{
    int at = 0;
    EACH(x, items, EACH(x, items, step(at++)));
    EACH(x, items, step(at++)); EACH(x, items, step(at++));
}

#include "iterators.h"

int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0, more = argc > 2 ? atoi(argv[2]) : 0;
    for (int i = 3; i < argc && i < 18; i++)
        stays[i - 3] = atoi(argv[i]);
    // The heap of the two is laid out differently.
    void *unused = malloc(more ? 100000 : 16);
    static const int eight[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int rows[4][3] = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}};
    std::vector<int> some = numbers(7 + 3 * more);
    std::map<int, int> pairs;
    std::vector<wide> wides;
    for (int i : some) {
        pairs[i] = i;
        wides.push_back({i, {0.0, 0.0, 0.0}});
    }
    switch (which) {
    case 0: {
        holder all{some};
        all.run();
        break;
    }
    case 1: array(eight); break;
    case 2: standard_array({0, 1, 2, 3, 4, 5, 6, 7}); break;
    case 3: wide_elements(wides); break;
    case 4: nested({numbers(3 + more), numbers(4), numbers(2), numbers(5)}); break;
    case 5: hidden(some, numbers(3)); break;
    case 6: replaced(some, more); break;
    case 7: swapped(some, numbers(9)); break;
    case 8: appended(some); break;
    case 9: map(pairs); break;
    case 10: nodes(std::list<int>(some.begin(), some.end())); break;
    case 11: nodes(std::deque<int>(some.begin(), some.end())); break;
    case 12: nodes(std::set<int>(some.begin(), some.end())); break;
    case 13: linked(); break;
    case 14: part(some, more); break;
    case 15: derived(9 + more); break;
    case 16:
        if (more)
            any(std::vector<double>(some.begin(), some.end()));
        else
            any(std::vector<char>(some.begin(), some.end()));
        break;
    case 17: backwards(some); break;
    case 18: made(9 + more); break;
    case 19: bits(9 + more); break;
    case 20: inlined({0, 1, 2, 3, 4, 5}, numbers(2 + more)); break;
    case 21: lambda(some, numbers(3)); break;
    case 22: table(rows); break;
    case 23: listed({0, 1, 2, 3, 4, 5, 6}); break;
    case 24: letters("abcdefgh"); break;
    case 25: asking(4 + more); break;
    case 26: gone(); break;
    case 27: thrown(some); break;
    case 28: again(some); break;
    case 29: deleted(some); break;
    case 30: {
        std::array<std::pair<int, int>, 8> items{};
        bound(items);
        break;
    }
    case 31: {
        tree root{0, {{1000, {{1100, {}}, {1200, {{1210, {}}}}}}, {2000, {}}, {3000, {{3100, {}}, {3200, {}}}}}};
        walk(root);
        break;
    }
    case 32: one_line({numbers(2), numbers(1), numbers(3)}); break;
    case 33: expanded(numbers(3)); break;
    default: iterate(which - 34, some, more);
    }
    free(unused);
    puts("over");
    return 0;
}
