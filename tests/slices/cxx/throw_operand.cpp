// A throw that is an operand: control leaves, and what is thrown is what a handler gets.
#include "observe.h"
#include <stdexcept>
#include <string>

struct Limit {
    int most;
    int code;
};

static int checked(int value, const Limit &limit) {
    int unrelated = value * 7;
    int kept = value > limit.most ? throw limit.code + value : value;
    unrelated += kept;
    return kept + 1;
}

static int positive(int value) {
    return value >= 0 ? value : throw std::runtime_error(std::string(value == -1 ? "one" : "many"));
}

int main() {
    Limit limit;
    limit.most = 5;
    limit.code = 100;
    int sum = 0;
    int ignored = 0;
    for (int i = 0; i < 8; i++) {
        try {
            sum += checked(i, limit);
            ignored++;
        } catch (int code) {
            sum += code;
        }
    }
    observe(sum);
    int length = 0;
    int tries = 0;
    for (int i = 1; i > -3; i--) {
        try {
            tries += positive(i);
        } catch (const std::runtime_error &error) {
            length += std::string(error.what()).size();
        }
    }
    observe(length);
    observe(tries);
    return 0;
}
