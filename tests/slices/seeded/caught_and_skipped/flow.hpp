#pragma once
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <vector>
struct Diverged : std::runtime_error { using std::runtime_error::runtime_error; };
class Model {
public:
    virtual ~Model() = default;
    virtual double source(double value) const = 0;
};
class Burning : public Model {
public:
    explicit Burning(double rate) : rate_(rate) {}
    double source(double value) const override;
private:
    double rate_;
};
class Column {
public:
    Column(const Model &model, int rank);
    void implicit(double dt);
    void share(MPI_Comm comm);
    double top() const { return value_.back(); }
private:
    double newton(double guess, double dt) const;
    const Model &model_;
    int rank_;
    std::vector<double> value_;
};
