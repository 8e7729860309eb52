// Loops along containers whose iterator `x` the source names. Where they are is said as in ranges.cpp.

struct pair_of_lists {
    std::vector<int> first, second;
    void own() const;
    static void of(const pair_of_lists *other);
};

static void by_name(std::vector<int> &items)
{
    for (std::vector<int>::iterator x = items.begin(); x != items.end(); ++x) {
        step(1000 * (x - items.begin()));
        *x = 0;
        step(1000 * (x - items.begin()) + 1);
    }
}

void pair_of_lists::own() const
{
    std::vector<int>::const_iterator x;
    for (x = first.cbegin(); x != first.cend(); x++)
        step(1000 * *x);
}

void pair_of_lists::of(const pair_of_lists *other)
{
    for (auto x = other->second.begin();
         x != other->second.end();
         ++x)
        step(1000 * *x);
}

// One iterator for two containers: what it has left behind in which of them, nobody knows.
static void one_for_two(const std::vector<int> &items, const std::vector<int> &others)
{
    std::vector<int>::const_iterator x;
    for (x = items.begin(); x != items.end(); ++x)
        step(1000 * *x);
    for (x = others.begin(); x != others.end(); ++x)
        step(1000 * (20 + *x));
}

static void letters_by_name(const std::string &text)
{
    for (auto x = text.begin(); x != text.end(); ++x)
        step(1000 * (*x - 'a'));
}

// The container gets other memory, and the loop is left.
static void replaced_by_name(std::vector<int> items, int more)
{
    for (auto x = items.begin(); x != items.end(); ++x) {
        int at = *x;
        step(1000 * at);
        if (at == 2) {
            items = numbers(50 + more);
            step(1000 * at + 1);
            step(1000 * at + 2);
            break;
        }
    }
}

// From the second element on the iterator is one of the other vector.
static void swapped_by_name(std::vector<int> items, std::vector<int> others)
{
    for (auto x = items.begin(); x != others.end(); ++x) {
        step(1000 * *x);
        if (*x == 1)
            items.swap(others);
        if (x == items.end())
            break;
    }
}

static void within_room(std::vector<int> items)
{
    items.reserve(100);
    for (auto x = items.begin(); x != items.end() && *x < 9; ++x) {
        items.push_back(10);
        step(1000 * *x);
    }
}

// Somebody else moves the iterator: none of these has a count.
static void by_reference(const std::vector<int> &items)
{
    std::vector<int>::const_iterator x, &also = x;
    for (x = items.begin(); x < items.end(); ++x) {
        step(1000 * *x);
        also += 1;
    }
}

static void by_lambda(const std::vector<int> &items)
{
    std::vector<int>::const_iterator x;
    auto skip = [&] { ++x; };
    for (x = items.begin(); x < items.end(); ++x) {
        step(1000 * *x);
        skip();
    }
}

static void beside_itself(const std::vector<int> &items)
{
    for (auto x = items.begin(), &also = x; x < items.end(); ++x) {
        step(1000 * *x);
        also++;
    }
}

static void advance(std::vector<int>::const_iterator &x)
{
    ++x;
}

static void by_call(const std::vector<int> &items)
{
    for (auto x = items.begin(); x < items.end(); ++x) {
        step(1000 * *x);
        advance(x);
    }
}

static void erased(std::vector<int> items)
{
    int at = 0;
    for (auto x = items.begin(); x != items.end(); ++x) {
        step(1000 * at++);
        x = items.erase(x);
    }
}

// The pointer by which the container is found leads to another one.
static void another(const std::vector<int> &items, const std::vector<int> &others)
{
    const std::vector<int> *all = &items;
    for (auto x = all->begin(); x != items.end(); ++x) {
        step(1000 * *x);
        all = &others;
        step(1000 * *x + 1);
    }
}

struct every_other {
    int *at;
    every_other &operator++()
    {
        at += 2;
        return *this;
    }
    int operator*() const { return *at; }
    bool operator!=(const every_other &other) const { return at < other.at; }
};

struct sparse {
    std::vector<int> items;
    every_other begin() { return {items.data()}; }
    every_other end() { return {items.data() + items.size()}; }
};

static void of_the_program(std::vector<int> items)
{
    sparse all{std::move(items)};
    for (auto x = all.begin(); x != all.end(); ++x)
        step(1000 * *x);
}

template <typename Container> static void in_no_row(const Container &items)
{
    int at = 0;
    for (auto x = items.begin(); x != items.end(); ++x)
        step(1000 * at++);
}

static void iterate(int which, const std::vector<int> &some, int more)
{
    std::vector<int> copy = some;
    pair_of_lists both{some, numbers(9)};
    switch (which) {
    case 0: by_name(copy); break;
    case 1: both.own(); break;
    case 2: one_for_two(some, numbers(5)); break;
    case 3: letters_by_name(more ? "abcdefghij" : "abcdefgh"); break;
    case 4: replaced_by_name(some, more); break;
    case 5: swapped_by_name(some, numbers(12)); break;
    case 6: within_room(some); break;
    case 7: by_reference(some); break;
    case 8: by_lambda(some); break;
    case 9: beside_itself(some); break;
    case 10: by_call(some); break;
    case 11: erased(some); break;
    case 12: another(some, numbers(3)); break;
    case 13: of_the_program(some); break;
    case 14: in_no_row(std::list<int>(some.begin(), some.end())); break;
    case 15: in_no_row(std::deque<int>(some.begin(), some.end())); break;
    case 16: pair_of_lists::of(&both); break;
    }
}
