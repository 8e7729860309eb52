#pragma once
#include <vector>

class Cloud {
    int rank = 0, size = 1;
    bool dirty = false;
    std::vector<double> mine, leaving;
    long total = 0;

public:
    explicit Cloud(int count);
    void drift(int step);
    void migrate();
    bool changed() const { return dirty; }
    void agree();
};
