//! Companies by what they use.

use crate::view::TechnologyView;
use assay_domain::Company;
use assay_index::{Clause, Term, fold_term};

pub fn uses(technology: &str) -> Clause {
    Clause::OneOf(Term::Technology, vec![fold_term(technology)])
}

/// What a company uses under this name, in whatever case.
pub fn technologies_named(company: &Company, name: &str) -> Vec<TechnologyView> {
    let name = fold_term(name);
    let technologies =
        company.facts.technologies.iter().filter(|technology| fold_term(&technology.name) == name);
    technologies.cloned().map(TechnologyView::from).collect()
}
