#ifndef STAGE_HPP
#define STAGE_HPP
#include <memory>
#include <vector>

// One step of a pipeline that all ranks go through.
class Stage {
public:
    virtual ~Stage() = default;
    virtual void run(std::vector<double> &cells) = 0;
    // Whether a stage needs all ranks at its end.
    virtual bool collective() const { return false; }
};

using Pipeline = std::vector<std::unique_ptr<Stage>>;

Pipeline make_pipeline(int rank);
void execute(const Pipeline &pipeline, std::vector<double> &cells);
#endif
