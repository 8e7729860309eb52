//! Hung jobs, for real: the programs of the corpus under two MPIs, and what `hindmost` says of them.
//!
//! One binary, so that all jobs can take turns: they need every processor there is.

mod alarms;
mod always;
mod amounts;
mod answers;
mod any;
mod awaited;
mod bad_input;
mod bindings;
mod calls;
mod case_study;
mod clusters;
mod conditions;
mod cores;
mod corners;
mod debuggers;
mod event_pages;
mod events;
mod fortran;
mod hindmost;
mod in_part;
mod libraries;
mod messages;
mod models;
mod motion;
mod others_events;
mod rendezvous;
mod replays;
mod seeded;
mod slices;
mod slurm;
mod tables;
mod threads;
mod traced;
mod trees;
mod unharmed;
mod unprepared;
mod waits;
mod watched_records;
mod watching;
mod why;
mod witness;
mod worlds;
