#pragma once
#include <mpi.h>
#include <memory>
#include <string>
#include <vector>

/* One direction between two ranks. */
class Channel {
public:
    Channel(int peer, int tag) : peer_(peer), tag_(tag) {}
    virtual ~Channel() = default;
    virtual void pass(std::vector<double> &data) = 0;

protected:
    int peer_;
    int tag_;
};

class Outgoing : public Channel {
public:
    using Channel::Channel;
    void pass(std::vector<double> &data) override;
};

class Incoming : public Channel {
public:
    using Channel::Channel;
    void pass(std::vector<double> &data) override;
};

using Channels = std::vector<std::unique_ptr<Channel>>;
Channels make_channels(int rank, int size, int field);
