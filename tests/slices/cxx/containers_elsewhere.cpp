// What one function puts into a container, another one finds there: by reference, in a member, through an iterator or a pointer.
#include <map>
#include <string>
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
    long kept = 0;

    std::vector<int> v;
    fill(v, x);
    kept = kept * 7 + sum(v);

    std::vector<std::vector<int>> rows(3);
    rows[1].push_back(y);
    std::vector<int> &row = rows[1];
    row.push_back(x);
    kept = kept * 7 + sum(rows[1]);
    kept = kept * 7 + (long)rows[2].size();

    Ledger ledger;
    ledger.note("a", x);
    ledger.note("b", y);
    Ledger copy = ledger;
    noise += 2;
    kept = kept * 7 + copy.last("b");
    kept = kept * 7 + ledger.entries.front();

    std::vector<int> taken = made(y);
    std::vector<int> other;
    other.swap(taken);
    std::vector<int> moved = std::move(other);
    kept = kept * 7 + moved[1];

    std::vector<int> copied;
    copied.insert(copied.end(), v.begin(), v.end());
    int *first = copied.data();
    *first += 9;
    kept = kept * 7 + copied[0];

    std::string text = "q";
    spell(&text, x);
    const char *letters = text.c_str();
    kept = kept * 7 + letters[1];
    noise *= 3;

    std::vector<int *> pointers;
    int target = 1;
    pointers.push_back(&target);
    *pointers.front() = y + 7;
    kept = kept * 7 + target;

    std::vector<int> grown;
    grown.resize(4, x);
    grown.assign(2, y);
    grown.erase(grown.begin());
    kept = kept * 7 + grown[0];
    observe(kept);
    return 0;
}
