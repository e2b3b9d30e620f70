//! The table of keys. The file, the environment, `config show` and the example file are all read from it.

use super::LogFormat;
use super::feeds::FEED_KEYS;
use super::key::{Key, Kind};
use super::mail::MAIL_KEYS;
use super::upstreams::UPSTREAM_KEYS;
use super::values::{
    at_most, choose, listed, read_address, read_master_key, read_number, read_ranges, read_seconds, read_url,
};
use crate::snapshots::SnapshotsPlace;
use assay_domain::NetworkHosts;
use assay_domain::limits::{
    CALL_DEADLINE, CONNECTIONS_MAX, HOLD_GRACE, INDEX_PARTITIONS_MAX, SANDBOX_DAILY_LIMIT, STOP_NOTICE,
    STOP_NOTICE_SECONDS_MAX, WEBHOOK_TIME_SCALE_MAX,
};
use assay_service::{Billing, HoldPolicy};
use std::path::PathBuf;
use std::time::Duration;

/// Every key, by section.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    KEYS.iter().chain(MAIL_KEYS).chain(UPSTREAM_KEYS).chain(FEED_KEYS)
}

static KEYS: &[Key] = &[
    Key {
        section: "server",
        name: "listen",
        kind: Kind::Text,
        default: || "127.0.0.1:8080".to_owned(),
        doc: &["Address and port of the API."],
        set: |config, text| read_address(text).map(|address| config.listen = address),
    },
    Key {
        section: "server",
        name: "operations_listen",
        kind: Kind::Text,
        default: || "127.0.0.1:9090".to_owned(),
        doc: &["Address and port of /livez, /readyz and /metrics. Never show it to customers."],
        set: |config, text| read_address(text).map(|address| config.operations_listen = address),
    },
    Key {
        section: "server",
        name: "connections_max",
        kind: Kind::Number,
        default: || CONNECTIONS_MAX.to_string(),
        doc: &[
            "Connections of clients that may be open at once; fewer where the system's limit of open files says so. At the",
            "limit, one on which nothing is asked is closed for a new one.",
        ],
        set: |config, text| read_number(text, 1).map(|count| config.connections_max = count),
    },
    Key {
        section: "server",
        name: "stop_notice_seconds",
        kind: Kind::Number,
        default: || STOP_NOTICE.as_secs().to_string(),
        doc: &[
            "For so long a node that is told to stop goes on taking calls, while /readyz says no and every answer closes its",
            "connection: longer than a load balancer needs to notice. 0 to 60; an interrupt from a terminal does not wait.",
        ],
        set: |config, text| {
            let seconds =
                read_number(text, 0).and_then(|seconds| at_most(seconds, STOP_NOTICE_SECONDS_MAX))?;
            config.stop_notice = Duration::from_secs(seconds.into());
            Ok(())
        },
    },
    Key {
        section: "server",
        name: "trusted_proxies",
        kind: Kind::List,
        default: String::new,
        doc: &[
            "Addresses and ranges of the proxies in front of this node, such as \"10.0.0.0/8\". Only they are believed when",
            "X-Forwarded-For says who the client is.",
        ],
        set: |config, text| read_ranges(text).map(|ranges| config.trusted_proxies = ranges),
    },
    Key {
        section: "server",
        name: "signup_url",
        kind: Kind::Text,
        default: String::new,
        doc: &["Where people get a key; the sandbox points there."],
        set: |config, text| {
            let known = text.is_empty() || text.starts_with("https://") || text.starts_with("http://");
            let reason = || "is not a web address such as https://example.com/signup".to_owned();
            let url = known.then(|| Some(text.to_owned()).filter(|url| !url.is_empty()));
            url.map(|url| config.signup_url = url).ok_or_else(reason)
        },
    },
    Key {
        section: "sandbox",
        name: "enabled",
        kind: Kind::Switch,
        default: || "true".to_owned(),
        doc: &["Whether /v1/sandbox answers everybody, without a key, from fixed examples."],
        set: |config, text| {
            choose(text, &[("true", true), ("false", false)]).map(|on| config.sandbox_enabled = on)
        },
    },
    Key {
        section: "sandbox",
        name: "daily_limit",
        kind: Kind::Number,
        default: || SANDBOX_DAILY_LIMIT.to_string(),
        doc: &[
            "Sandbox calls an address may make in a day (UTC). IPv6 addresses of one /64 are one address.",
        ],
        set: |config, text| read_number(text, 1).map(|limit| config.sandbox_daily_limit = limit),
    },
    Key {
        section: "ledger",
        name: "url",
        kind: Kind::Url,
        default: || "postgres://localhost/assay_ledger".to_owned(),
        doc: &[
            "The database of accounts, keys, credits and history. May be file:/path. May name several servers (host:port,host:port), of",
            "which the one that takes writes is used: see docs/failover.md.",
        ],
        set: |config, text| read_url(text).map(|url| config.ledger.url = url),
    },
    Key {
        section: "ledger",
        name: "connections_max",
        kind: Kind::Number,
        default: || "16".to_owned(),
        doc: &["Connections this process may open to it."],
        set: |config, text| read_number(text, 2).map(|count| config.ledger.connections_max = count),
    },
    Key {
        section: "graph",
        name: "url",
        kind: Kind::Url,
        default: || "postgres://localhost/assay_graph".to_owned(),
        doc: &[
            "The database of people and companies; on the same server or another one, or on several, as that of the ledger. May be",
            "file:/path.",
        ],
        set: |config, text| read_url(text).map(|url| config.graph.url = url),
    },
    Key {
        section: "graph",
        name: "connections_max",
        kind: Kind::Number,
        default: || "16".to_owned(),
        doc: &["Connections this process may open to it."],
        set: |config, text| read_number(text, 2).map(|count| config.graph.connections_max = count),
    },
    Key {
        section: "index",
        name: "folder",
        kind: Kind::Text,
        default: || "assay-index".to_owned(),
        doc: &[
            "Where a node that answers calls keeps its index of people and companies: a folder of its own on a local disk, for",
            "each node. It is made when it is not there, and filled from the graph; until then the node is not ready. Relative",
            "to where the program was started.",
        ],
        set: |config, text| {
            let reason = || "is empty".to_owned();
            let folder = Some(PathBuf::from(text)).filter(|path| !path.as_os_str().is_empty());
            folder.map(|folder| config.index_folder = folder).ok_or_else(reason)
        },
    },
    Key {
        section: "index",
        name: "snapshots",
        kind: Kind::Text,
        default: String::new,
        doc: &[
            "For snapshots of the index: one node makes one each hour, and a new node begins with the newest, which is much quicker",
            "than filling its index from the graph. A folder that all nodes see, such as one on a network disk, or a bucket that all",
            "reach over S3, such as \"s3://bucket/prefix\", with the usual variables: AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID,",
            "AWS_SECRET_ACCESS_KEY (docs/operations.md). Empty for none.",
        ],
        set: |config, text| {
            let place = Some(text).filter(|text| !text.is_empty()).map(SnapshotsPlace::parse).transpose();
            place.map(|place| config.index_snapshots = place)
        },
    },
    Key {
        section: "index",
        name: "partitions",
        kind: Kind::Number,
        default: || "0".to_owned(),
        doc: &[
            "Parts of the index that are searched side by side; 0 means one for each processor. Decided when an index is filled.",
        ],
        set: |config, text| {
            let count = read_number(text, 0).and_then(|count| at_most(count, INDEX_PARTITIONS_MAX))?;
            config.index_partitions = count;
            Ok(())
        },
    },
    Key {
        section: "secrets",
        name: "master_key",
        kind: Kind::Secret,
        default: String::new,
        doc: &[
            "The one secret: 64 hexadecimal digits, made with `openssl rand -hex 32`. May be file:/path.",
            "API keys and identifiers are hashed under it: without it no stored key and no stored person is found.",
        ],
        set: read_master_key,
    },
    Key {
        section: "network",
        name: "hosts",
        kind: Kind::List,
        default: || NetworkHosts::default().canonical().to_owned(),
        doc: &["Hosts of the professional network, subdomains included. The first is written into answers."],
        set: |config, text| {
            NetworkHosts::new(listed(text))
                .map(|hosts| config.hosts = hosts)
                .map_err(|error| error.to_string())
        },
    },
    Key {
        section: "billing",
        name: "holds",
        kind: Kind::Text,
        default: || "when_spending".to_owned(),
        doc: &[
            "When credits are held before a call runs: \"when_spending\" (calls that may spend upstream money, and those",
            "that found more than the balance pays for) or \"always\" (every paid call).",
        ],
        set: |config, text| {
            let choices = [("when_spending", HoldPolicy::WhenSpending), ("always", HoldPolicy::Always)];
            choose(text, &choices).map(|holds| config.holds = holds)
        },
    },
    Key {
        section: "billing",
        name: "hold_lifetime_seconds",
        kind: Kind::Number,
        default: || (CALL_DEADLINE + HOLD_GRACE).as_secs().to_string(),
        doc: &[
            "A hold that was never settled is given back after this long, and so is what a run of a watch list had taken. Longer",
            "than a call may take.",
        ],
        set: |config, text| read_seconds(text).map(|lifetime| config.hold_lifetime = lifetime),
    },
    Key {
        section: "billing",
        name: "cache_hits",
        kind: Kind::Text,
        default: || "normal".to_owned(),
        doc: &[
            "What an answer costs that is kept from a mail server or a vendor and asked for again: \"normal\" or \"free\".",
        ],
        set: |config, text| {
            let choices = [("normal", 100), ("free", 0)];
            choose(text, &choices).map(|percent| config.billing.cache_hit_percent = percent)
        },
    },
    Key {
        section: "billing",
        name: "own_key_percent",
        kind: Kind::Number,
        default: || Billing::default().own_key_percent.to_string(),
        doc: &[
            "What an answer costs that an account's own key to a vendor was paid for, in percent of the normal price.",
        ],
        set: |config, text| {
            let percent = text.parse().ok().filter(|percent| *percent <= 100);
            let percent = percent.ok_or_else(|| "must be a number from 0 to 100".to_owned())?;
            config.billing.own_key_percent = percent;
            Ok(())
        },
    },
    Key {
        section: "calls",
        name: "deadline_seconds",
        kind: Kind::Number,
        default: || CALL_DEADLINE.as_secs().to_string(),
        doc: &["A call that takes longer answers 504 and costs nothing."],
        set: |config, text| {
            let deadline = read_seconds(text)?;
            config.deadline = deadline;
            // Nobody waits longer for what a statement reads.
            config.ledger.statement_timeout = deadline.min(CALL_DEADLINE);
            config.graph.statement_timeout = deadline.min(CALL_DEADLINE);
            Ok(())
        },
    },
    Key {
        section: "calls",
        name: "active_max",
        kind: Kind::Number,
        default: || "0".to_owned(),
        doc: &[
            "Calls being worked on at once. Six times as many wait their turn, 2 s at most; all others are answered 503",
            "without delay. 0 means 24 for each processor, and at least 48. Calls that only wait for an upstream do not count.",
        ],
        set: |config, text| read_number(text, 0).map(|count| config.calls_active_max = count),
    },
    Key {
        section: "history",
        name: "retention_months",
        kind: Kind::Number,
        default: || "24".to_owned(),
        doc: &[
            "Calendar months of history that are kept beside the running one; older months are dropped as a whole.",
            "0 keeps everything. Credits and balances do not depend on it.",
        ],
        set: |config, text| read_number(text, 0).map(|months| config.history_retention_months = months),
    },
    Key {
        section: "webhooks",
        name: "allow_ranges",
        kind: Kind::List,
        default: String::new,
        doc: &[
            "Ranges that webhooks may lead to although they are not on the public internet, such as \"10.20.0.0/16\": for",
            "receivers next door, or for development.",
        ],
        set: |config, text| read_ranges(text).map(|ranges| config.webhook_guard.allowed = ranges),
    },
    Key {
        section: "webhooks",
        name: "allow_http",
        kind: Kind::Switch,
        default: || "false".to_owned(),
        doc: &["Whether a webhook may be a plain http URL. What is sent can then be read on its way."],
        set: |config, text| {
            choose(text, &[("true", true), ("false", false)]).map(|on| config.webhook_guard.allow_http = on)
        },
    },
    Key {
        section: "webhooks",
        name: "allow_ports",
        kind: Kind::List,
        default: String::new,
        doc: &["Ports a webhook may name beside the one of its scheme, such as 8443."],
        set: |config, text| {
            let ports: Result<Vec<u16>, _> = listed(text).map(str::parse).collect();
            let reason = |_| "is not a list of ports such as 8443".to_owned();
            ports.map(|ports| config.webhook_guard.ports = ports).map_err(reason)
        },
    },
    Key {
        section: "webhooks",
        name: "extra_roots",
        kind: Kind::Text,
        default: String::new,
        doc: &["A file of certificates (PEM) that receivers may be vouched for by, beside the public ones."],
        set: |config, text| {
            config.webhook_roots = Some(PathBuf::from(text)).filter(|path| !path.as_os_str().is_empty());
            Ok(())
        },
    },
    Key {
        section: "webhooks",
        name: "time_scale",
        kind: Kind::Number,
        default: || "1".to_owned(),
        doc: &[
            "For tests: divides the delays between attempts, the time a receiver has to answer (2 seconds are left to it), and",
            "the days until a failing webhook is disabled.",
        ],
        set: |config, text| {
            let scale = read_number(text, 1).and_then(|scale| at_most(scale, WEBHOOK_TIME_SCALE_MAX))?;
            config.webhook_time_scale = scale;
            Ok(())
        },
    },
    Key {
        section: "log",
        name: "level",
        kind: Kind::Text,
        default: || "info".to_owned(),
        doc: &["error, warn, info, debug or trace; or a filter such as \"info,assay_http=debug\"."],
        set: |config, text| {
            let filter = tracing_subscriber::EnvFilter::try_new(text);
            filter.map(|_| text.clone_into(&mut config.log_level)).map_err(|error| error.to_string())
        },
    },
    Key {
        section: "log",
        name: "format",
        kind: Kind::Text,
        default: || "json".to_owned(),
        doc: &["\"json\" or \"text\". Logs go to standard error."],
        set: |config, text| {
            choose(text, &[("json", LogFormat::Json), ("text", LogFormat::Text)])
                .map(|format| config.log_format = format)
        },
    },
];
