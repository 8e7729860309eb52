#pragma once
#include <mpi.h>
#include <map>
#include <string>
class Settings {
public:
    void parse(const std::string &text);
    int number(const std::string &key, int otherwise) const;
    double real(const std::string &key, double otherwise) const;
    void share(MPI_Comm comm);
private:
    std::map<std::string, double> values_;
};
class Smoother {
public:
    Smoother(const Settings &settings, MPI_Comm comm);
    double cycle();
    bool is_done(double change) const { return change < limit_; }
    int most() const { return most_; }
private:
    double exchange(double own);
    MPI_Comm comm_;
    int sweeps_, most_, rank_, size_;
    double limit_, value_;
};
