//! Bars of research workflows: who is found, against what is true of the made-up world and in none of its records. And how
//! short the code of endpoints is.
//! Bars of research workflows: who is found, against what is true of the made-up world and in none of its records; and whether every
//! endpoint of the specification is there at all.

pub mod committee;
pub mod coverage;
pub mod decision_maker;
pub mod recipes;
mod scene;
pub mod windows;
