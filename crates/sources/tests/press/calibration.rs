//! How sure readings are, against how often they are right.
//!
//! Points and weights were counted over most of these files, so that this shows that tables, signs and marks belong together; the unread
//! ones show what others give.

use super::score::{self, Judged};
use assay_domain::Confidence;
use assay_sources::press::Announced;

const WIRES: &str = include_str!("../../../../bench/data/press/wires.jsonl");
const WIRES_FRESH: &str = include_str!("../../../../bench/data/press/wires-fresh.jsonl");
const FRESH: &str = include_str!("../../../../bench/data/press/fresh.jsonl");

/// Of these nothing is printed, and nothing was counted over them.
const UNREAD: &str = include_str!("../../../../bench/data/press/unread.jsonl");
const WIRES_UNREAD: &str = include_str!("../../../../bench/data/press/wires-unread.jsonl");

/// Of readings that are so sure, in percent, how many are right; of none all.
fn right_of(all: &[(usize, bool)], sure: std::ops::Range<usize>) -> usize {
    let told = all.iter().filter(|(percent, _)| sure.contains(percent)).collect::<Vec<_>>();
    let right = told.iter().filter(|(_, right)| *right).count();
    (right * 100).checked_div(told.len()).unwrap_or(100)
}

fn sure(judged: &[Judged]) -> impl Iterator<Item = (usize, bool)> {
    judged.iter().filter_map(|Judged { said, right, .. }| {
        let (Announced::Funding { confidence, .. } | Announced::Acquisition { confidence, .. }) =
            said.as_ref()?;
        Some((usize::from(confidence.as_percent()), *right))
    })
}

/// One test, since reading them all takes its time.
#[test]
fn readings_are_right_as_often_as_they_say() {
    /// So far a band of a few dozen readings may be off by chance.
    const CHANCE: usize = 15;
    let [wires, wires_fresh, fresh] = [WIRES, WIRES_FRESH, FRESH].map(|file| score::judge(file).unwrap());
    let all = [&wires, &wires_fresh, &fresh].into_iter().flat_map(|file| sure(file)).collect::<Vec<_>>();
    for (from, to) in [(60, 70), (70, 80), (80, 90), (90, 95), (95, 101)] {
        let (band, above) = (right_of(&all, from..to), right_of(&all, from..101));
        assert!(band + CHANCE >= from, "{band} % of those between {from} and {to} % sure are right");
        assert!(above >= from, "{above} % of those at least {from} % sure are right");
    }
    let unread = [UNREAD, WIRES_UNREAD].map(|file| score::judge(file).unwrap());
    let unread = unread.iter().flat_map(|file| sure(file)).collect::<Vec<_>>();
    assert!(right_of(&unread, 95..101) > right_of(&unread, 60..80) + CHANCE, "the surest are no better");
    assert!(right_of(&unread, 95..101) >= 95 && right_of(&unread, 60..101) >= 88, "{unread:?}");
    let enough = usize::from(Confidence::ENOUGH.as_percent());
    assert!(all.iter().all(|(percent, _)| *percent >= enough), "something is said that is not sure enough");
    // What feeds are of must be read well enough with what is left.
    let right = wires.iter().filter(|it| it.right).count();
    let labelled = wires.iter().filter(|it| it.text.announces()).count();
    let precision = right_of(&sure(&wires).collect::<Vec<_>>(), 0..101);
    assert!(
        precision >= 96 && right * 100 >= labelled * 87,
        "{right} of {labelled}, {precision} % of those said"
    );
}
