#pragma once
#include <memory>

struct State {
    double time = 0, dt = 0.1;
    long particles = 0;
    int step = 0;
};

class Policy {
public:
    virtual ~Policy() = default;
    virtual bool wants(const State &state) = 0;
};

class EveryN : public Policy {
public:
    explicit EveryN(int n) : n_(n) {}
    bool wants(const State &state) override;

private:
    int n_;
};

class OnGrowth : public Policy {
public:
    explicit OnGrowth(double factor) : factor_(factor) {}
    bool wants(const State &state) override;

private:
    double factor_;
    long last_ = 0;
};

std::unique_ptr<Policy> make_policy(bool adaptive);
