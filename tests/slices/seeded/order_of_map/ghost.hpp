#pragma once
#include <mpi.h>
#include <map>
#include <string>
#include <vector>
class Fields {
public:
    void add(const std::string &name, double first);
    std::map<std::string, std::vector<double>> &all() { return fields_; }
    bool has(const std::string &name) const { return fields_.count(name) != 0; }
private:
    std::map<std::string, std::vector<double>> fields_;
};
class Ghosts {
public:
    Ghosts(MPI_Comm comm, Fields &fields);
    void update();
private:
    void one(std::vector<double> &field, int tag);
    MPI_Comm comm_;
    Fields &fields_;
    int rank_, size_;
};
void register_fields(Fields &fields, int rank);
