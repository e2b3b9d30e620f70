//! How well releases are read: what the grammar says of each against its label. The tests of `sources` score by this too.

use assay_domain::taxonomy::FundingStage;
use assay_sources::money::{Money, decimals};
use assay_sources::press::{Announced, Release, read};
use chrono::NaiveDate;
use serde::Deserialize;

/// A release and what it announces, by whoever wrote it.
#[derive(Debug, Deserialize)]
pub struct Labelled {
    pub id: String,
    pub title: String,
    pub body: String,
    pub published_on: NaiveDate,
    pub funding: Option<FundingLabel>,
    pub acquisition: Option<AcquisitionLabel>,
}

impl Labelled {
    pub fn announces(&self) -> bool {
        self.funding.is_some() || self.acquisition.is_some()
    }
}

#[derive(Debug, Deserialize)]
pub struct FundingLabel {
    pub company: String,
    pub amount: Option<i64>,
    pub currency: Option<String>,
    stage: Option<FundingStage>,
    investors: Vec<String>,
    #[serde(default)]
    pub also: Also,
}

#[derive(Debug, Deserialize)]
pub struct AcquisitionLabel {
    pub acquirer: String,
    pub target: String,
    pub price: Option<i64>,
    pub currency: Option<String>,
    #[serde(default)]
    pub also: Also,
}

/// Other forms in which the text gives the same names: the short one of a defined term, the full one of a first mention.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Also {
    pub company: Vec<String>,
    pub acquirer: Vec<String>,
    pub target: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    pub texts: usize,
    /// Texts that announce something, those in which something was read, and those read right.
    pub labelled: usize,
    pub said: usize,
    pub right: usize,
    /// Of rounds read right: those that have the stage of the label, or none as it has none.
    pub rounds: usize,
    pub stages: usize,
    pub investors: usize,
    pub investors_found: usize,
}

impl Score {
    /// In hundredths, rounded down; of nothing all is right.
    pub fn precision(&self) -> usize {
        (self.right * 100).checked_div(self.said).unwrap_or(100)
    }

    pub fn recall(&self) -> usize {
        (self.right * 100).checked_div(self.labelled).unwrap_or(100)
    }

    pub fn stage_accuracy(&self) -> usize {
        (self.stages * 100).checked_div(self.rounds).unwrap_or(100)
    }

    pub fn investor_recall(&self) -> usize {
        (self.investors_found * 100).checked_div(self.investors).unwrap_or(100)
    }
}

/// A release, what is read of it, and whether that is as labelled.
#[derive(Debug)]
pub struct Judged {
    pub text: Labelled,
    pub said: Option<Announced>,
    pub right: bool,
}

/// Reads a file of labelled releases, one a line.
pub fn judge(file: &str) -> Result<Vec<Judged>, serde_json::Error> {
    let lines = file.lines().filter(|line| !line.trim().is_empty());
    let judged = lines.map(|line| {
        let text: Labelled = serde_json::from_str(line)?;
        let release = Release { title: &text.title, body: &text.body, published_on: text.published_on };
        let said = read(&release);
        let right = said.as_ref().is_some_and(|said| is_right(&text, said));
        Ok(Judged { text, said, right })
    });
    judged.collect()
}

/// Scores a file of labelled releases; `wrong` is told of each that is not read as labelled.
pub fn score(
    file: &str,
    mut wrong: impl FnMut(&Labelled, Option<&Announced>),
) -> Result<Score, serde_json::Error> {
    let mut score = Score::default();
    for Judged { text, said, right } in judge(file)? {
        let labelled = text.announces();
        score.texts += 1;
        score.labelled += usize::from(labelled);
        score.said += usize::from(said.is_some());
        score.right += usize::from(right);
        if labelled != right || said.is_some() != right {
            wrong(&text, said.as_ref());
        }
        if let (true, Some(label), Some(Announced::Funding { stage, investors, .. })) =
            (right, &text.funding, &said)
        {
            score.rounds += 1;
            score.stages += usize::from(*stage == label.stage);
            let found = |label: &&String| investors.iter().any(|name| fold(name) == fold(label));
            score.investors += label.investors.len();
            score.investors_found += label.investors.iter().filter(found).count();
        }
    }
    Ok(score)
}

pub fn is_right(text: &Labelled, said: &Announced) -> bool {
    match said {
        Announced::Funding { company, amount, .. } => text.funding.as_ref().is_some_and(|label| {
            is_name(company, &label.company, &label.also.company)
                && is_sum(*amount, label.amount, label.currency.as_deref())
        }),
        Announced::Acquisition { acquirer, target, price, .. } => {
            text.acquisition.as_ref().is_some_and(|label| {
                is_name(acquirer, &label.acquirer, &label.also.acquirer)
                    && is_name(target, &label.target, &label.also.target)
                    && is_sum(*price, label.price, label.currency.as_deref())
            })
        }
    }
}

pub fn is_name(said: &str, label: &str, also: &[String]) -> bool {
    fold(said) == fold(label) || also.iter().any(|form| fold(said) == fold(form))
}

/// Labels are in whole units of the currency; one that names no sum asks for none.
pub fn is_sum(said: Option<Money>, label: Option<i64>, currency: Option<&str>) -> bool {
    let Some(label) = label else { return true };
    let units = 10_i64.pow(decimals(currency.unwrap_or_default()));
    said.is_some_and(|said| label.checked_mul(units) == Some(said.amount) && Some(said.currency) == currency)
}

const LEGAL_FORMS: &[&str] = &[
    "inc",
    "corp",
    "corporation",
    "co",
    "company",
    "ltd",
    "limited",
    "llc",
    "plc",
    "gmbh",
    "ag",
    "se",
    "kg",
    "sa",
    "sas",
    "sarl",
    "spa",
    "srl",
    "bv",
    "nv",
    "ab",
    "oy",
    "as",
    "aps",
    "sl",
    "lda",
    "ltda",
    "pty",
    "oyj",
    "asa",
    "ug",
    "kgaa",
    "llp",
    "sca",
];

/// Names are compared without case, punctuation, spaces and legal forms.
fn fold(name: &str) -> String {
    let plain = name.to_lowercase().replace(['.', '\'', '’', '/'], "");
    let words = plain.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(|word| !LEGAL_FORMS.contains(word)).collect()
}
