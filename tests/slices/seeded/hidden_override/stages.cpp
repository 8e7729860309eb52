#include "stage.hpp"

namespace {

class Smooth : public Stage {
public:
    void run(std::vector<double> &cells) override
    {
        for (std::size_t i = 1; i + 1 < cells.size(); ++i)
            cells[i] = 0.25 * cells[i - 1] + 0.5 * cells[i] + 0.25 * cells[i + 1];
    }
};

class Limit : public Stage {
public:
    explicit Limit(double bound) : bound_(bound) {}
    void run(std::vector<double> &cells) override
    {
        for (double &cell : cells)
            cell = cell > bound_ ? bound_ : cell;
    }
    bool collective() const override { return true; }

private:
    double bound_;
};

// At the walls the bound is what the wall takes.
class WallLimit : public Limit {
public:
    explicit WallLimit(double bound) : Limit(0.5 * bound) {}
    bool collective() const override { return Stage::collective(); } /* BUG: that of Limit */
};

} // namespace

Pipeline make_pipeline(int rank)
{
    Pipeline pipeline;
    pipeline.push_back(std::make_unique<Smooth>());
    if (rank == 0)
        pipeline.push_back(std::make_unique<WallLimit>(3.0));
    else
        pipeline.push_back(std::make_unique<Limit>(3.0));
    pipeline.push_back(std::make_unique<Smooth>());
    return pipeline;
}
