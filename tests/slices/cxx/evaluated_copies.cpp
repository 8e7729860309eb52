/* Objects that are copied into parameters which decide nothing. */
#include "observe.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Rows {
    std::vector<std::string> rows;
    std::map<int, std::string> names;
};

struct Tree {
    std::shared_ptr<Tree> left;
    int value = 0;
};

static int first(int wanted, Rows ignored)
{
    (void)ignored;
    return wanted - 2;
}

static int shared(int wanted, std::shared_ptr<Tree> ignored)
{
    (void)ignored;
    return wanted - 3;
}

static int size_of(const Rows &rows)
{
    return (int)rows.rows.size();
}

struct Both {
    int n;
    Rows rows;
    int pick(int k, Rows other) const { (void)other; return n + k; }
    static int fixed(int k, const std::string &s, int ignored) { (void)s; (void)ignored; return k; }
};

int main()
{
    int a = input(0);
    int place = input(1) & 1;
    Rows rows;
    rows.rows.push_back("a name that is longer than what fits in the object itself");
    rows.rows.push_back("b");
    rows.names[3] = "three";
    auto tree = std::make_shared<Tree>();
    tree->left = std::make_shared<Tree>();
    std::vector<Rows> many(2, rows);
    Rows *chosen = &many[place];
    Both both{4, rows};
    observe(first(a + 4, rows));
    observe(shared(a + 5, tree->left));
    observe(first(a + 6, many[place]));
    observe(first(a + 7, *chosen));
    observe(both.pick(a, rows));
    observe(Both::fixed(a, rows.rows[place], size_of(*chosen)));
    observe(Both::fixed(a, chosen->names.at(3), size_of(many.at(place))));
    return 0;
}
