//! The words that a record's fields choose from, as the reference tells them.

use assay_domain::taxonomy::{Department, EmailStatus, FundingStage, Seniority, SizeBand};

pub fn seniorities() -> Vec<&'static str> {
    Seniority::ALL.iter().map(|term| term.as_str()).collect()
}

pub fn departments() -> Vec<&'static str> {
    Department::ALL.iter().map(|term| term.as_str()).collect()
}

pub fn email_statuses() -> Vec<&'static str> {
    EmailStatus::ALL.iter().map(|term| term.as_str()).collect()
}

pub fn size_bands() -> Vec<&'static str> {
    SizeBand::ALL.iter().map(|term| term.as_str()).collect()
}

pub fn funding_stages() -> Vec<&'static str> {
    FundingStage::ALL.iter().map(|term| term.as_str()).collect()
}
