//! The ways a call may be refused before it runs, and what each must be told.

use super::scene::Scene;
use super::wire::Ask;
use assay_domain::Plan;
use assay_service::Entry;
use assay_service::spec::Group;

/// One way not to be let in.
#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    pub status: u16,
    pub code: &'static str,
    /// The call of a row that must be refused this way; none where the row cannot be.
    pub ask: fn(&Scene, &Entry) -> Option<Ask>,
}

/// Every way. Each is tried on every row of the catalog that it applies to.
pub const CASES: &[Case] = &[
    Case {
        name: "no key",
        status: 401,
        code: "missing_api_key",
        ask: |_, row| Some(Ask::of(row, None, None)),
    },
    Case { name: "key in the query", status: 401, code: "missing_api_key", ask: in_query },
    Case {
        name: "bad checksum",
        status: 401,
        code: "invalid_api_key",
        ask: |it, row| with(row, &it.keys.broken),
    },
    Case {
        name: "wrong secret",
        status: 401,
        code: "invalid_api_key",
        ask: |it, row| with(row, &it.keys.guessed),
    },
    Case {
        name: "unknown id",
        status: 401,
        code: "invalid_api_key",
        ask: |it, row| with(row, &it.keys.unknown),
    },
    Case {
        name: "wrong mode",
        status: 401,
        code: "invalid_api_key",
        ask: |it, row| with(row, &it.keys.other_mode),
    },
    Case {
        name: "revoked",
        status: 401,
        code: "revoked_api_key",
        ask: |it, row| with(row, &it.keys.revoked),
    },
    Case {
        name: "expired",
        status: 401,
        code: "expired_api_key",
        ask: |it, row| with(row, &it.keys.expired),
    },
    Case {
        name: "foreign address",
        status: 403,
        code: "ip_not_allowed",
        ask: |it, row| with(row, &it.keys.elsewhere),
    },
    Case { name: "wrong scope", status: 403, code: "insufficient_scope", ask: without_scope },
    Case { name: "ended trial", status: 403, code: "trial_ended", ask: after_trial },
    Case { name: "wrong plan", status: 403, code: "plan_required", ask: below_plan },
    Case { name: "foreign id", status: 404, code: "not_found", ask: foreign_id },
    Case { name: "absent id", status: 404, code: "not_found", ask: absent_id },
    Case { name: "exhausted cap", status: 402, code: "spend_cap_reached", ask: capped },
];

fn with(row: &Entry, key: &str) -> Option<Ask> {
    Some(Ask::of(row, None, Some(key)))
}

fn in_query(scene: &Scene, row: &Entry) -> Option<Ask> {
    let mut ask = Ask::of(row, None, None);
    let joint = if ask.path.contains('?') { '&' } else { '?' };
    ask.path = format!("{}{joint}api_key={}", ask.path, scene.keys.good);
    Some(ask)
}

fn without_scope(scene: &Scene, row: &Entry) -> Option<Ask> {
    let lacking = scene.keys.lacking.iter().find(|(scope, _)| *scope == row.spec.scope)?;
    with(row, &lacking.1)
}

fn after_trial(scene: &Scene, row: &Entry) -> Option<Ask> {
    let open = matches!(row.spec.group, Group::Account | Group::Keys);
    if open { None } else { with(row, &scene.keys.over) }
}

/// The account has an open trial, which counts as Indie.
fn below_plan(scene: &Scene, row: &Entry) -> Option<Ask> {
    if Plan::Trial.allows(row.spec.plan) { None } else { with(row, &scene.keys.trial) }
}

fn foreign_id(scene: &Scene, row: &Entry) -> Option<Ask> {
    let (foreign, _) = ids(scene, row)?;
    Some(Ask::of(row, Some(&foreign), Some(&scene.keys.good)))
}

fn absent_id(scene: &Scene, row: &Entry) -> Option<Ask> {
    let (_, absent) = ids(scene, row)?;
    Some(Ask::of(row, Some(&absent), Some(&scene.keys.good)))
}

/// Whether the path of a row names something of an account. What an operator keeps belongs to no account.
pub fn names_something(row: &Entry) -> bool {
    row.spec.path.contains('{') && row.spec.group != Group::Operator
}

/// An id of another account and one that nothing has. A new kind of id is added here.
fn ids(scene: &Scene, row: &Entry) -> Option<(String, String)> {
    match row.spec.path {
        path if path.starts_with("/v1/keys/") => {
            Some((scene.foreign_key.clone(), "key_000000000000".to_owned()))
        }
        path if path.starts_with("/v1/bulk/{id}") => {
            Some((scene.foreign_bulk.clone(), "blk_00000000000000000000000000000000".to_owned()))
        }
        path if path.starts_with("/v1/webhooks/deliveries/") => {
            Some((scene.foreign_delivery.clone(), "msg_00000000000000000000000000000000".to_owned()))
        }
        path if path.starts_with("/v1/webhooks/") => {
            Some((scene.foreign_webhook.clone(), "whk_00000000000000000000000000000000".to_owned()))
        }
        path if path.starts_with("/v1/watch-lists/") => {
            Some((scene.foreign_list.clone(), "wl_00000000000000000000000000000000".to_owned()))
        }
        path if path.starts_with("/v1/saved-icps/") => {
            Some((scene.foreign_icp.clone(), "icp_00000000000000000000000000000000".to_owned()))
        }
        _ => None,
    }
}

/// The example of a paid row on a node that holds credits before every call: whether it would find anything is then
/// not asked.
fn capped(scene: &Scene, row: &Entry) -> Option<Ask> {
    if row.spec.price.is_free() { None } else { with(row, &scene.keys.spent) }
}
