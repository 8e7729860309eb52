//! The sort of events by itself: how many a second, how much it remembers, how long it holds them, beside a merge by time stamps of the same streams; and the ring of the paper.

mod job;
mod merge;

#[path = "../own.rs"]
mod own;

use causal::{Event, Limits, Reported, Sorter};
use job::{Delivery, Job};
use own::{peak_megabytes, processor_time};

/// What a sort of a whole delivery comes to.
#[derive(Default)]
struct Sorted {
    seconds: f64,
    /// Means over the steps, and the largest.
    mean_window: f64,
    mean_unreported: f64,
    most: usize,
    /// The mean number of events that come between one and its being put out.
    delay: f64,
    /// Messages that are received before they are sent.
    backwards: usize,
    messages: usize,
}

fn sort(job: &Job, delivery: &[Event<u32>]) -> Sorted {
    let mut sorter = Sorter::new(job.streams, Limits::default());
    for group in &job.groups {
        sorter.define(group).expect("members are streams, once each");
    }
    let mut out: Vec<Reported<u32>> = Vec::with_capacity(1024);
    let (mut windows, mut unreported, mut most, mut reported) = (0, 0, 0, 0);
    let begun = processor_time();
    for event in delivery {
        sorter.observe(*event, &mut out).expect("a run is sorted whole");
        let window = sorter.window();
        windows += window.events + window.operations;
        unreported += window.unreported;
        most = most.max(window.events + window.operations);
        reported += out.len();
        out.clear();
    }
    let seconds = (processor_time() - begun).as_secs_f64();
    assert_eq!(reported, delivery.len(), "all events of a whole run are put out");
    let steps = delivery.len() as f64;
    Sorted {
        seconds,
        mean_window: windows as f64 / steps,
        mean_unreported: unreported as f64 / steps,
        most,
        // By Little's law: what is held on the average, at one arrival a step.
        delay: unreported as f64 / steps,
        ..Sorted::default()
    }
}

/// The same with the order of messages looked at, which takes time that is not the sort's.
fn sort_and_judge(job: &Job, delivery: &[Event<u32>]) -> Sorted {
    let mut sorter = Sorter::new(job.streams, Limits::default());
    for group in &job.groups {
        sorter.define(group).expect("members are streams, once each");
    }
    let mut out = Vec::new();
    for event in delivery {
        sorter.observe(*event, &mut out).expect("a run is sorted whole");
    }
    let order = out.iter().map(|reported| reported.event);
    let (backwards, messages) = merge::backwards(order);
    Sorted {
        backwards,
        messages,
        ..sort(job, delivery)
    }
}

fn throughput() {
    println!(
        "\nThroughput on one core: rounds of computation, a ring of messages, a barrier every eighth round."
    );
    println!(
        "  streams     events   M events/s   ns/event   window mean   max   unreported mean   MB (peak of the process)"
    );
    for (streams, rounds) in [(64, 12_000), (1_024, 600), (16_384, 40), (100_000, 8)] {
        let job = Job::rounds(streams, rounds);
        for (name, delivery) in [
            ("in step", Delivery::InStep),
            ("in bursts of 64", Delivery::Bursts(64)),
        ] {
            let events = job.deliver(delivery);
            let sorted = sort(&job, &events);
            let each = sorted.seconds / events.len() as f64;
            println!(
                "  {streams:>7} {:>10}   {:>10.2}   {:>8.0}   {:>11.0} {:>8} {:>12.1}   {:>5}   {name}",
                events.len(),
                1e-6 / each,
                each * 1e9,
                sorted.mean_window,
                sorted.most,
                sorted.mean_unreported,
                peak_megabytes(),
            );
        }
    }
}

/// A vector is summed again and again by a pipeline along a ring (section 3). Events wait in the buffers of their processes.
fn ring() {
    println!(
        "\nThe ring of the paper: a pipelined sum, with buffers that are flushed when they are full, or by a clock; a heartbeat where they are empty."
    );
    println!(
        "  processes   buffer   by time stamps: messages backwards   delay   sorted: backwards   delay   window mean   unreported mean"
    );
    for streams in [4, 8, 16] {
        for buffer in [1, 4, 16] {
            let job = Job::ring(streams, 4_000);
            let delivery = job.buffered(buffer);
            let merged = merge::by_time_stamps(streams, &delivery);
            let events: Vec<Event<u32>> = delivery.iter().filter_map(|arrival| arrival.event).collect();
            let sorted = sort_and_judge(&job, &events);
            let share = |part: usize, all: usize| part as f64 * 100.0 / all as f64;
            println!(
                "  {streams:>9}   {buffer:>6}   {:>33.1} %   {:>5.1}   {:>15.1} %   {:>5.1}   {:>11.1}   {:>15.1}",
                share(merged.backwards, merged.messages),
                merged.delay,
                share(sorted.backwards, sorted.messages),
                sorted.delay,
                sorted.mean_window,
                sorted.mean_unreported,
            );
        }
    }
}

fn main() {
    println!("Events of many streams in causal order (crate causal)");
    throughput();
    ring();
}
