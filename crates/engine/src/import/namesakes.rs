//! People who have a name in common with a record, and perhaps nothing else: looked for only where that can mean something.

use super::people::distinct;
use crate::EngineError;
use crate::matching::NAME_BEARERS_MAX;
use assay_store::graph::{ImportTurn, Source};
use std::collections::HashMap;
use uuid::Uuid;

/// Who is met under these names. Nobody under a name that too many people have; and nobody whom the source of the record
/// tells of already: a source seldom has somebody twice, and a copy mostly has an address, a number or a company too. Most
/// namesakes of a large source are its own, so they are left out before their records are read.
pub(super) async fn met_by_name(
    graph: &mut ImportTurn,
    source: &Source,
    names: &[i64],
) -> Result<Vec<(i64, Uuid)>, EngineError> {
    let mut met = few_bearers(graph.met(names, NAME_BEARERS_MAX + 1).await?);
    let told_of = graph.told_of(source.id, &distinct(met.iter().map(|(_, id)| *id))).await?;
    met.retain(|(_, id)| !told_of.contains(id));
    Ok(met)
}

/// Without the names that too many people have to tell them apart.
fn few_bearers(mut met: Vec<(i64, Uuid)>) -> Vec<(i64, Uuid)> {
    let mut bearers: HashMap<i64, i64> = HashMap::new();
    for (key, _) in &met {
        *bearers.entry(*key).or_default() += 1;
    }
    met.retain(|(key, _)| bearers.get(key).is_some_and(|count| *count <= NAME_BEARERS_MAX));
    met
}
