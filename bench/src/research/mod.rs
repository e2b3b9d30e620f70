//! Bars of research workflows: who is found, against what is true of the made-up world and in none of its records.

pub mod committee;
pub mod decision_maker;
mod scene;
