//! The `titles` bar: the title grammar against titles labelled by hand, a third of them unseen by whoever wrote it.
//!
//! Of the unseen ones nothing is printed but counts. As an outside check the titles of O*NET, where they are at hand, are
//! compared with the departments that belong to their occupation's major group.

use crate::bar::{Verdict, progress};
use anyhow::{Context, Result, ensure};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::title::read_title;
use assay_testkit::workspace_root;
use sha2::{Digest, Sha256};

const VISIBLE: &str = include_str!("../data/titles/visible.tsv");
const HELD_OUT: &str = include_str!("../data/titles/held-out.tsv");
/// Committed before the grammar was written.
const HELD_OUT_HASH: &str = include_str!("../data/titles/held-out.tsv.sha256");
const TITLES_MIN: usize = 600;
const RIGHT_PERMILLE_MIN: usize = 950;
/// Beside the repository, where it is at hand.
const ONET: &str = "../shared/data/onet";

/// Departments that occupations of a major group may belong to. Group 11 is management, of anything.
const MAJOR_GROUPS: &[(&str, &[Department])] = {
    use Department as D;
    &[
        ("13", &[D::Finance, D::Hr, D::Operations, D::Consulting, D::Marketing, D::Legal, D::Data, D::Sales]),
        ("15", &[D::Engineering, D::It, D::Data, D::Security, D::Design, D::Research]),
        ("17", &[D::Engineering, D::Design]),
        ("19", &[D::Research]),
        ("21", &[D::Other, D::Health, D::Education]),
        ("23", &[D::Legal]),
        ("25", &[D::Education]),
        ("27", &[D::Design, D::Marketing, D::Other]),
        ("29", &[D::Health]),
        ("31", &[D::Health]),
        ("33", &[D::Security, D::Other]),
        ("35", &[D::Operations]),
        ("37", &[D::Operations]),
        ("39", &[D::Operations, D::Other]),
        ("41", &[D::Sales]),
        ("43", &[D::Operations, D::Support, D::Finance, D::Hr]),
        ("45", &[D::Operations]),
        ("47", &[D::Operations]),
        ("49", &[D::Operations]),
        ("51", &[D::Operations]),
        ("53", &[D::Operations]),
        ("55", &[D::Other]),
    ]
};

/// How many titles were read as labelled.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Score {
    titles: usize,
    seniority: usize,
    department: usize,
}

impl Score {
    fn permille(&self) -> (usize, usize) {
        let of_all = |right: usize| (right * 1_000).checked_div(self.titles).unwrap_or(0);
        (of_all(self.seniority), of_all(self.department))
    }
}

pub async fn run(_short: bool) -> Result<Verdict> {
    let hash = Sha256::digest(HELD_OUT).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    ensure!(HELD_OUT_HASH.starts_with(&hash), "the held-out titles are not those whose hash was committed");
    let (visible, unseen) = (score(VISIBLE, true)?, score(HELD_OUT, false)?);
    progress(format!("seen: {}", tell(visible)));
    let onet = onet_score()?;
    let titles = visible.titles + unseen.titles;
    let (seniority, department) = unseen.permille();
    let figure = format!(
        "titles: {titles} labelled; of {} unseen {} (bar {}.{} %); O*NET: {}",
        unseen.titles,
        tell(unseen),
        RIGHT_PERMILLE_MIN / 10,
        RIGHT_PERMILLE_MIN % 10,
        onet.unwrap_or_else(|| "not at hand".to_owned())
    );
    let enough = titles >= TITLES_MIN && unseen.titles * 3 >= titles;
    let passed = enough && seniority >= RIGHT_PERMILLE_MIN && department >= RIGHT_PERMILLE_MIN;
    Ok(Verdict { figure, passed })
}

fn tell(score: Score) -> String {
    let (seniority, department) = score.permille();
    let percent = |permille: usize| format!("{}.{} %", permille / 10, permille % 10);
    format!("seniority {} and department {} right", percent(seniority), percent(department))
}

fn score(table: &str, told: bool) -> Result<Score> {
    let mut score = Score::default();
    for line in table.lines() {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().context("a row has three cells");
        let (title, seniority, department) = (cell()?, cell()?, cell()?);
        let reading = read_title(title);
        let right_seniority = Seniority::parse(seniority)? == reading.seniority;
        let right_department = Department::parse(department)? == reading.department;
        score.titles += 1;
        score.seniority += usize::from(right_seniority);
        score.department += usize::from(right_department);
        if told && !(right_seniority && right_department) {
            progress(format!("{title}: {} {}", reading.seniority, reading.department));
        }
    }
    Ok(score)
}

/// How many of O*NET's titles are in a department of their major group, where the files are at hand.
fn onet_score() -> Result<Option<String>> {
    let folder = workspace_root()?.join(ONET);
    if !folder.is_dir() {
        return Ok(None);
    }
    let (mut asked, mut right, mut unknown) = (0_usize, 0_usize, 0_usize);
    for file in ["occupations.tsv", "alternate_titles.tsv"] {
        let table = std::fs::read_to_string(folder.join(file))?;
        for (code, title) in table.lines().skip(1).filter_map(|line| line.split_once('\t')) {
            let Some((_, departments)) = MAJOR_GROUPS.iter().find(|(group, _)| code.starts_with(group))
            else {
                continue;
            };
            let department = read_title(title).department;
            asked += 1;
            right += usize::from(departments.contains(&department));
            unknown += usize::from(department == Department::Other && !departments.contains(&department));
        }
    }
    let percent = |part: usize| (part * 100).checked_div(asked).unwrap_or(0);
    Ok(Some(format!(
        "{} % of {asked} titles in a department of their major group, {} % in none",
        percent(right),
        percent(unknown)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_for_each_label_by_itself() {
        let table = "CEO\tc_suite\texecutive\nCFO\tc_suite\tsales\nNurse\tvp\thealth\n";
        assert_eq!(score(table, false).unwrap(), Score { titles: 3, seniority: 2, department: 2 });
        assert!(score("CEO\tc_suite", false).is_err());
        assert!(score("CEO\tchief\texecutive", false).is_err());
    }
}
