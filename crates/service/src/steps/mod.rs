//! What composites are made of, each written once: people at a company, who decides there, whom to reach and how, what a company is
//! hiring for, and what happened or what companies there are, one after the other until a page is full.

pub mod account;
pub mod address;
pub mod buyers;
pub mod committee;
pub mod contact;
pub mod contacts;
pub mod coworkers;
pub mod firms;
pub mod funded;
pub mod hiring;
pub mod moves;
pub mod owner;
pub mod people;
pub mod recent;
pub mod rows;
pub mod similarity;
pub mod somebody;
pub mod spending;
pub mod technology;
pub mod telephone;
pub mod unmasked;
pub mod window;
