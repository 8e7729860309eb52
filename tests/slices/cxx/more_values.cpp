// Values that come through what the library and the language offer besides plain assignments.
#include "observe.h"
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

static std::optional<int> half(int x)
{
    if (x % 2)
        return std::nullopt;
    return x / 2;
}

static std::tuple<int, int> both(int x)
{
    return {x + 1, x + 2};
}

static std::variant<int, long> either(int x)
{
    if (x > 2)
        return x * 3;
    return static_cast<long>(x) * 5;
}

int main()
{
    int a = input(0), b = input(1), noise = input(2);
    int first = 0, second = 0;
    std::tie(first, second) = both(a);
    int old = std::exchange(second, b);
    std::swap(first, b);
    auto kept = half(a * 2);
    noise += 4;
    int value = 0;
    if (auto found = half(old); found)
        value = *found;
    else if (kept)
        value = kept.value();
    std::array<int, 4> numbers = {a, b, 3, 4};
    std::vector<int> doubled;
    std::transform(numbers.begin(), numbers.end(), std::back_inserter(doubled), [](int x) { return 2 * x; });
    int sum = std::accumulate(doubled.begin(), doubled.end(), first);
    auto one = either(a);
    long picked = std::visit([](auto x) { return static_cast<long>(x) + 1; }, one);
    std::vector<int> taken = std::move(doubled);
    taken.push_back(static_cast<int>(picked));
    doubled = {noise};
    observe(old + second);
    observe(value);
    observe(sum);
    observe(picked);
    observe(taken.back() + static_cast<int>(taken.size()));
    observe(doubled[0]);
    observe(noise);
    return 0;
}
