//! Tests of the finder: its parts, and a simulation of the whole.

mod parts;
mod simulation;
mod staff;
mod steps;
