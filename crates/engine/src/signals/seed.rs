//! The first line of a letter to somebody who changed jobs: what is known of the change, and nothing else.

use assay_domain::signal::{Move, MoveKind, Post};

/// A sentence of the facts of a change; none where nobody tells whereto.
pub fn personalization_seed(name: &str, change: &Move) -> Option<String> {
    let Post { title, company, on } = change.to.as_ref()?;
    let did = match change.kind {
        MoveKind::NewCompany => format!("{name} joined {} as {title}", company.name),
        MoveKind::Promotion => format!("{name} was promoted to {title} at {}", company.name),
        MoveKind::NewRole => format!("{name} became {title} at {}", company.name),
        MoveKind::Left => return None,
    };
    let on = on.map(|day| format!(" on {day}")).unwrap_or_default();
    let before = change.from.as_ref().map(|from| {
        let place =
            if from.company.name == company.name { "" } else { &format!(" at {}", from.company.name) };
        format!(", after {}{place}", from.title)
    });
    Some(format!("{did}{on}{}.", before.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::signal::Party;
    use chrono::NaiveDate;

    fn post(title: &str, company: &str, on: Option<NaiveDate>) -> Option<Post> {
        Some(Post { title: title.into(), company: Party::named(company), on })
    }

    fn change(kind: MoveKind, from: Option<Post>, to: Option<Post>) -> Move {
        Move { kind, from, to, announcement_post_url: None, announcement_text: Some("hello".into()) }
    }

    #[test]
    fn a_sentence_says_what_is_known_and_leaves_out_what_is_not() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 2);
        let seed = |change: Move| personalization_seed("Ada", &change);
        let from = || post("Sales Manager", "Alder", None);
        assert_eq!(
            seed(change(MoveKind::NewCompany, from(), post("VP of Sales", "Northwind", day))).as_deref(),
            Some("Ada joined Northwind as VP of Sales on 2026-11-02, after Sales Manager at Alder.")
        );
        assert_eq!(
            seed(change(MoveKind::Promotion, from(), post("VP of Sales", "Alder", None))).as_deref(),
            Some("Ada was promoted to VP of Sales at Alder, after Sales Manager.")
        );
        assert_eq!(
            seed(change(MoveKind::NewRole, None, post("CFO", "Alder", None))).as_deref(),
            Some("Ada became CFO at Alder.")
        );
        assert_eq!(seed(change(MoveKind::Left, from(), None)), None);
        assert_eq!(seed(change(MoveKind::NewCompany, from(), None)), None);
    }
}
