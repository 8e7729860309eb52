// What C++ adds: exceptions through several frames, destructors on the way, virtual calls, lambdas, and the library's templates.
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static volatile int sink;

struct Guard {
    int value;
    explicit Guard(int v) : value(v) { sink = sink + v; }
    ~Guard() { sink = sink - value; }
};

struct Shape {
    virtual ~Shape() = default;
    virtual int area(int n) const = 0;
};
struct Square : Shape {
    int area(int n) const override { return n * n; }
};
struct Picky : Shape {
    int area(int n) const override
    {
        if (n % 3 == 0)
            throw std::runtime_error("three");
        if (n % 5 == 0)
            throw n;
        return n;
    }
};

__attribute__((noinline)) static int measure(const Shape &shape, int n)
{
    Guard guard(n);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        Guard inner(i);
        sum += shape.area(i + 1);
    }
    return sum;
}

__attribute__((noinline)) static int careful(const Shape &shape, int n)
{
    for (int tries = 0;; tries++) {
        try {
            Guard guard(tries);
            return measure(shape, n - tries);
        } catch (const std::runtime_error &error) {
            sink = sink + error.what()[0];
            if (tries > 2)
                throw;
        } catch (int number) {
            sink = sink + number;
        }
    }
}

__attribute__((noinline)) static int sorted(int n)
{
    std::vector<std::string> words;
    for (int i = 0; i < n; i++)
        words.push_back(std::string(static_cast<size_t>(i % 7) * 5, static_cast<char>('a' + i % 3)));
    auto longer = [&](const std::string &a, const std::string &b) { return a.size() + words.size() > b.size() + words.size(); };
    for (size_t i = 0; i + 1 < words.size(); i++)
        if (longer(words[i], words[i + 1]))
            std::swap(words[i], words[i + 1]);
    return static_cast<int>(words.back().size());
}

int main()
{
    raise(SIGSTOP);
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Square>());
    shapes.push_back(std::make_unique<Picky>());
    for (const auto &shape : shapes) {
        for (int n = 1; n < 7; n++) {
            try {
                sink = sink + careful(*shape, n);
            } catch (const std::exception &) {
                sink = sink + 1;
            }
        }
    }
    sink = sink + sorted(9);
    return 0;
}
