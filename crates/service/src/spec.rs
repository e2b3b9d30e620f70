//! What the world may know about an endpoint: a row of the price list, the router and the reference.

use assay_domain::limits::{BODY_BYTES_MAX, LIST_BODY_BYTES_MAX, PAGE_ROWS_MAX};
use assay_domain::{Credits, Plan, Price};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    Get,
    Post,
    Patch,
    Delete,
}

impl Verb {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether the fields come in a JSON body; the others bring them in the query.
    pub const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Patch)
    }
}

/// The sections of the API: they decide the tag, whether calls are kept in history, and where the sandbox lists the twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    Resolve,
    Find,
    Search,
    /// What helps to write a search: of the same section, but no lookup.
    Suggest,
    Signals,
    Combos,
    NicheCombos,
    Bundles,
    /// What is watched, and what is saved to be asked again.
    Lists,
    /// Running one of them: of the same section, and a lookup.
    ListRuns,
    Bulk,
    Account,
    Keys,
    Webhooks,
    Operator,
}

impl Group {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Find => "find",
            Self::Search | Self::Suggest => "search",
            Self::Signals => "signals",
            Self::Combos => "combos",
            Self::NicheCombos => "niche",
            Self::Bundles => "bundles",
            Self::Lists | Self::ListRuns => "lists",
            Self::Bulk => "bulk",
            Self::Account => "account",
            Self::Keys => "keys",
            Self::Webhooks => "webhooks",
            Self::Operator => "operator",
        }
    }

    /// Where the sandbox lists the twins of this section. What keeps or shows something of an account is sticky.
    pub const fn sandbox_group(self) -> SandboxGroup {
        match self {
            Self::Resolve => SandboxGroup::Resolve,
            Self::Find => SandboxGroup::Find,
            Self::Search | Self::Suggest => SandboxGroup::Search,
            Self::Signals => SandboxGroup::Signals,
            Self::Combos => SandboxGroup::Combos,
            Self::NicheCombos => SandboxGroup::NicheCombos,
            Self::Bundles => SandboxGroup::Bundles,
            Self::Lists
            | Self::ListRuns
            | Self::Bulk
            | Self::Account
            | Self::Keys
            | Self::Webhooks
            | Self::Operator => SandboxGroup::Sticky,
        }
    }

    /// Whether a call is a lookup, and so belongs into the account's history. Looking at one's own account is not, and the
    /// lookups of a bulk job are put there by its slices.
    pub const fn is_recorded(self) -> bool {
        matches!(
            self,
            Self::Resolve
                | Self::Find
                | Self::Search
                | Self::Combos
                | Self::NicheCombos
                | Self::Bundles
                | Self::ListRuns
        )
    }
}

/// The sections of `GET /v1/sandbox/info`: all of them are always there, also where no row fills one yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SandboxGroup {
    Resolve,
    Find,
    Search,
    Signals,
    Combos,
    NicheCombos,
    Bundles,
    Sticky,
}

/// What a key must be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Lookup,
    Search,
    Signals,
    Lists,
    Bulk,
    History,
    Keys,
    Webhooks,
    Operator,
}

impl Scope {
    pub const ALL: &[Self] = &[
        Self::Lookup,
        Self::Search,
        Self::Signals,
        Self::Lists,
        Self::Bulk,
        Self::History,
        Self::Keys,
        Self::Webhooks,
        Self::Operator,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Search => "search",
            Self::Signals => "signals",
            Self::Lists => "lists",
            Self::Bulk => "bulk",
            Self::History => "history",
            Self::Keys => "keys",
            Self::Webhooks => "webhooks",
            Self::Operator => "operator",
        }
    }

    /// What a new key may do unless told otherwise: everything but running the installation.
    pub fn defaults() -> Vec<String> {
        let ordinary = Self::ALL.iter().filter(|scope| **scope != Self::Operator);
        ordinary.map(|scope| scope.as_str().to_owned()).collect()
    }
}

/// Rows that ask vendors only for what the graph does not know, and so hold credits only then.
const VENDORS_ASKED_LAST: [&str; 4] = ["enrich", "companies", "reverse-email", "reverse-phone"];

/// Calls whose bodies are lists, and longer than others may be.
const LIST_TAKERS: &[&str] =
    &["ad-audience", "ingest-signals", "watch-lists-create", "watch-lists-add", "watch-lists-remove"];

/// One endpoint, described.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Operation id, metric and history label.
    pub name: &'static str,
    pub verb: Verb,
    pub path: &'static str,
    /// What a call that worked answers: 200, 201 where something was made, or 202 where something goes on.
    pub status: u16,
    pub group: Group,
    pub price: Price,
    /// What one billed unit is.
    pub unit: &'static str,
    /// The most units any request can bill.
    pub units_max: u32,
    /// The lowest plan that may call it.
    pub plan: Plan,
    pub scope: Scope,
    /// Whether answering may cost upstream money: then credits are held before the call runs.
    pub spends_upstream: bool,
    pub summary: &'static str,
    pub description: &'static str,
}

/// What the endpoints of a kind have in common; what is its own, and what it is for, stands beside it.
impl Spec {
    /// A call that costs nothing: about an account, what belongs to it, or the installation.
    pub const fn free(
        name: &'static str,
        verb: Verb,
        path: &'static str,
        group: Group,
        scope: Scope,
    ) -> Self {
        Self { verb, scope, units_max: 0, ..Self::research(name, path, group, Price::Free, "call") }
    }

    /// One thing looked up, and charged for when it is found.
    pub const fn lookup(
        name: &'static str,
        path: &'static str,
        group: Group,
        price: Credits,
        unit: &'static str,
    ) -> Self {
        Self {
            scope: Scope::Lookup,
            units_max: 1,
            ..Self::research(name, path, group, Price::Flat(price), unit)
        }
    }

    /// A search or a research workflow: posted, for every plan, with at most a page of rows.
    pub const fn research(
        name: &'static str,
        path: &'static str,
        group: Group,
        price: Price,
        unit: &'static str,
    ) -> Self {
        Self {
            name,
            verb: Verb::Post,
            path,
            status: 200,
            group,
            price,
            unit,
            units_max: PAGE_ROWS_MAX,
            plan: Plan::Trial,
            scope: Scope::Search,
            spends_upstream: false,
            summary: "",
            description: "",
        }
    }

    /// Something of the account's own that is kept to be asked again.
    pub const fn keeping(name: &'static str, verb: Verb, path: &'static str) -> Self {
        Self::free(name, verb, path, Group::Lists, Scope::Lists)
    }

    /// Whether a vendor may be asked, at once or when the graph does not know: the call can then fail because none answers.
    pub fn asks_vendors(&self) -> bool {
        self.spends_upstream || VENDORS_ASKED_LAST.contains(&self.name)
    }

    /// The longest body it takes.
    pub fn body_bytes_max(&self) -> usize {
        if LIST_TAKERS.contains(&self.name) { LIST_BODY_BYTES_MAX } else { BODY_BYTES_MAX }
    }
}
