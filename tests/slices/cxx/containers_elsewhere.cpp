// What one function puts into a container, another one finds there: by reference, in a member, through an iterator or a pointer.
#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <unordered_map>
#include <vector>
#include "observe.h"

struct Ledger {
    std::vector<int> entries;
    std::map<std::string, std::vector<int>> by_name;
    void note(const std::string &name, int value)
    {
        entries.push_back(value);
        by_name[name].push_back(value + 1);
    }
    int last(const std::string &name) const { return by_name.at(name).back(); }
};

static void fill(std::vector<int> &v, int x)
{
    v.push_back(x);
    v.insert(v.begin(), x * 2);
    v.emplace_back(x + 5);
}

static std::vector<int> made(int x)
{
    std::vector<int> v(2, x);
    v.back() += 1;
    return v;
}

static int sum(const std::vector<int> &v)
{
    int all = 0;
    for (int each : v)
        all += each;
    return all;
}

static void spell(std::string *text, int x)
{
    text->push_back((char)('a' + x % 20));
    text->append("zz");
}

int main()
{
    int x = input(0), y = input(1);
    int noise = 1;

    std::vector<int> v;
    fill(v, x);
    observe(sum(v));

    std::vector<std::vector<int>> rows(3);
    rows[1].push_back(y);
    std::vector<int> &row = rows[1];
    row.push_back(x);
    observe(sum(rows[1]));
    observe(rows[2].size());

    Ledger ledger;
    ledger.note("a", x);
    ledger.note("b", y);
    Ledger copy = ledger;
    noise += 2;
    observe(copy.last("b"));
    observe(ledger.entries.front());

    std::vector<int> taken = made(y);
    std::vector<int> other;
    other.swap(taken);
    std::vector<int> moved = std::move(other);
    observe(moved[1]);

    std::vector<int> copied;
    std::copy(v.begin(), v.end(), std::back_inserter(copied));
    int *first = copied.data();
    *first += 9;
    observe(copied[0]);

    std::string text = "q";
    spell(&text, x);
    const char *letters = text.c_str();
    observe(letters[1]);
    noise *= 3;

    std::set<int> seen;
    seen.insert(y);
    seen.insert(x + y);
    observe(*seen.begin());

    std::queue<int> queue;
    queue.push(x);
    queue.push(y);
    queue.pop();
    observe(queue.front());

    std::stack<int> stack;
    stack.push(y);
    stack.top() += 4;
    observe(stack.top());

    std::priority_queue<int> best;
    best.push(x);
    best.push(y);
    observe(best.top());

    std::deque<int> deque;
    deque.push_front(x);
    deque.push_front(y);
    deque.pop_back();
    observe(deque.back());

    std::unordered_map<int, int> table;
    table.emplace(3, x);
    auto found = table.find(3);
    found->second -= y;
    observe(table[3]);

    std::list<int *> pointers;
    int target = 1;
    pointers.push_back(&target);
    *pointers.front() = y + 7;
    observe(target);

    std::vector<int> grown;
    grown.resize(4, x);
    grown.assign(2, y);
    grown.erase(grown.begin());
    observe(grown[0]);
    observe(noise);
    return 0;
}
