// Containers that are members: their elements stand in them, and nothing beside them is meant by a call.
#include "observe.h"
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

struct Cell {
    int weight;
    int *shared;
    Cell(int weight, int *shared) : weight(weight), shared(shared) {}
    void grow(int by) {
        weight += by;
        *shared += by;
    }
};

struct Inner {
    std::vector<int> deep;
    int level;
};

class Owner {
  public:
    int beside;
    std::vector<int> numbers;
    std::vector<Cell> cells;
    std::map<int, std::vector<int>> rows;
    std::array<int, 4> fixed;
    std::pair<int, Inner> both;
    std::string name;
    std::deque<long> queue;

    Owner() : beside(3), fixed{} {
        name.assign("owner");
        both.first = 2;
        both.second.level = 4;
    }
    void add(int n) { numbers.push_back(n); }
    std::vector<int> &all() { return numbers; }
    void make(int n, int *shared) { cells.emplace_back(n, shared); }
    int count() const { return (int)numbers.size(); }
};

static int total(const std::vector<int> &of) {
    return std::accumulate(of.begin(), of.end(), 0);
}

static void through_pointer(std::vector<int> *all) {
    (*all)[1] = 40;
    all->back() += 1;
}

int main() {
    int shared = 1;
    Owner owner;
    owner.beside = 9;
    for (int i = 0; i < 4; i++)
        owner.add(i);
    owner.all()[0] = 5;
    owner.all().push_back(8);
    through_pointer(&owner.numbers);
    int *first = owner.numbers.data();
    first[2] = 70;
    *(owner.numbers.begin() + 3) = 90;
    observe(owner.count());
    observe(total(owner.numbers));
    observe(owner.beside);
    owner.make(2, &shared);
    owner.make(3, &shared);
    owner.cells[0].grow(4);
    owner.cells.back().weight *= 2;
    for (auto &cell : owner.cells)
        cell.grow(1);
    observe(owner.cells.front().weight);
    observe(*owner.cells.back().shared);
    observe(shared);
    owner.rows[2].push_back(6);
    owner.rows[2].push_back(7);
    std::vector<int> &row = owner.rows[2];
    row[0] = 11;
    observe(owner.rows.at(2).front());
    observe((int)owner.rows.size());
    owner.fixed[1] = 12;
    owner.fixed.at(2) = 13;
    std::swap(owner.fixed[0], owner.fixed[2]);
    observe(owner.fixed.front());
    owner.both.second.deep.assign(3, 4);
    owner.both.second.deep.resize(5);
    Inner copy = owner.both.second;
    observe((int)copy.deep.size());
    owner.name += "ship";
    std::reverse(owner.name.begin(), owner.name.end());
    observe(owner.name.front());
    owner.queue.push_front(3);
    owner.queue.push_back(4);
    owner.queue.front() = 21;
    long front = owner.queue[0];
    owner.queue.pop_front();
    observe((int)front);
    Owner other = owner;
    other.numbers.clear();
    observe(total(other.numbers) + owner.count());
    return 0;
}
