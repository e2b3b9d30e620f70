//! The title grammar against the labelled titles that whoever works on it may read.

use assay_domain::title::read_title;

const VISIBLE: &str = include_str!("../../../bench/data/titles/visible.tsv");
/// Of a hundred. The bar `titles` holds the grammar to titles nobody wrote it for.
const RIGHT_PERCENT_MIN: usize = 97;

#[test]
fn titles_are_read_as_people_label_them() {
    let rows: Vec<Vec<&str>> = VISIBLE.lines().map(|line| line.split('\t').collect()).collect();
    let (mut ranks, mut departments) = (0, 0);
    for row in &rows {
        let [title, seniority, department] = row[..] else { panic!("{row:?}") };
        let reading = read_title(title);
        let (rank, place) = (reading.seniority.as_str(), reading.department.as_str());
        ranks += usize::from(rank == seniority);
        departments += usize::from(place == department);
        if rank != seniority || place != department {
            println!("{title}: {rank} {place}, not {seniority} {department} [{}]", reading.normalised);
        }
    }
    let least = (rows.len() * RIGHT_PERCENT_MIN).div_ceil(100);
    assert!(
        ranks >= least && departments >= least,
        "{ranks} ranks, {departments} departments of {}",
        rows.len()
    );
}
