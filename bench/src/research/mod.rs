//! Bars of research workflows: who is found, against what is true of the made-up world and in none of its records; whether every
//! endpoint of the specification is there at all; how long they wait for others; and how short their code is.

pub mod committee;
pub mod coverage;
pub mod critical_path;
pub mod decision_maker;
pub mod recipes;
mod scene;
pub mod windows;
