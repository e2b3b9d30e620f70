//! What requests about saved ICPs share: ids, and filters as a search takes them.

use crate::account_icps::IcpRow;
use crate::context::Context;
use crate::endpoints::search::{SearchCompanies, SearchPeople};
use crate::fault::Fault;
use crate::search::{Conditions, PageWish};
use assay_domain::watch::WatchKind;
use assay_domain::{IcpId, NetworkHosts};
use serde_json::{Map, Value};
use uuid::Uuid;

/// What a search takes beside its filters: said at each run, not saved.
const OF_A_PAGE: [&str; 4] = ["limit", "cursor", "count", "sort"];

/// A text that can be no id becomes one that nothing has: how an absent one is told must not depend on why it is absent.
pub fn icp_id(text: &str) -> IcpId {
    text.parse().unwrap_or(IcpId::from_uuid(Uuid::nil()))
}

/// Says which filter is wrong, before it is saved.
pub fn check(target: WatchKind, filters: &Map<String, Value>, hosts: &NetworkHosts) -> Result<(), Fault> {
    if let Some(name) = OF_A_PAGE.into_iter().find(|name| filters.contains_key(*name)) {
        let fix = "leave it out: it is said when the ICP is run";
        return Err(Fault::field(&format!("/filters/{name}"), "unknown_field", "not a filter", fix));
    }
    let read = match target {
        WatchKind::People => SearchPeople::read(filters.clone(), hosts).map(drop),
        WatchKind::Companies => SearchCompanies::read(filters.clone(), hosts).map(drop),
    };
    read.map_err(|mut fault| {
        fault.errors.iter_mut().for_each(|error| error.pointer.insert_str(0, "/filters"));
        fault
    })
}

/// A saved search as it is run: what is looked for, and which page of it.
pub fn search(
    context: &Context,
    icp: &IcpRow,
    (cursor, limit): (Option<String>, u32),
) -> Result<(Conditions, PageWish), Fault> {
    let (mut fields, hosts) = (icp.filters.clone(), context.engine.hosts());
    fields.extend(cursor.map(|cursor| ("cursor".to_owned(), Value::String(cursor))));
    fields.insert("limit".to_owned(), limit.into());
    Ok(match icp.target {
        WatchKind::People => {
            let question = SearchPeople::read(fields, hosts)?;
            let page = question.page().clone();
            (question.conditions(page.day(context)), page)
        }
        WatchKind::Companies => {
            let question = SearchCompanies::read(fields, hosts)?;
            (question.conditions(), question.page().clone())
        }
    })
}

/// What companies of a saved ICP are like.
pub(crate) fn company_conditions(icp: &IcpRow, hosts: &NetworkHosts) -> Result<Conditions, Fault> {
    if icp.target != WatchKind::Companies {
        let fix = "send the id of an ICP of companies";
        return Err(Fault::field("/icp_id", "wrong_kind", "the saved ICP is one of people", fix));
    }
    Ok(SearchCompanies::read(icp.filters.clone(), hosts)?.conditions())
}
