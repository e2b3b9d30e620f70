//! The two Postfix instances of the rig: one with mailboxes in all their states, one that keeps strangers out.

use std::path::Path;

use super::behaviours::{BEHAVIOURS, Behaviour, Server, behaviour};
use super::mailboxes::State;
use super::network::Network;
use super::postfix::{Instance, Listener, config_folder};
use super::{nsd, postgrey, zones};

const MAILBOXES: &str = "postfix-mailboxes";
const GATES: &str = "postfix-gates";
/// Has the mailboxes of the domains whose public server only asks here.
pub(super) const BACKEND_HOST: u8 = 11;
const BACKED: &[&str] = &["postfix-unverified", "exim-callout"];

const PLAIN: &str = "inet n - n - - smtpd";
/// Its root is the queue, where the rig's DNS is the one it finds.
const WITH_RIG_DNS: &str = "inet n - y - - smtpd";

type Settings = Vec<(&'static str, String)>;

fn setting(name: &'static str, value: impl Into<String>) -> (&'static str, String) {
    (name, value.into())
}

/// Domains whose mailboxes are in the first instance, but for those of local users.
fn hosted_here() -> impl Iterator<Item = &'static Behaviour> {
    BEHAVIOURS.iter().filter(|it| {
        let here = it.hosts.first().is_some_and(|host| *host < 20) && it.name != "postfix-local";
        it.server == Server::Postfix && here || BACKED.contains(&it.name)
    })
}

/// Domains whose mailboxes are behind a gate of the second instance.
fn behind_gates() -> impl Iterator<Item = &'static Behaviour> {
    BEHAVIOURS.iter().filter(|it| {
        let gate = it.hosts.first().is_some_and(|host| *host >= 20);
        it.server == Server::Postfix && gate && !BACKED.contains(&it.name)
    })
}

/// Lines of a table of mailboxes.
fn mailbox_lines(behaviour: &Behaviour) -> Vec<String> {
    if behaviour.name == "postfix-catch-all" {
        return vec![format!("@{} everybody", behaviour.domain)];
    }
    let mailboxes = behaviour.mailboxes.iter().filter(|mailbox| mailbox.state.is_mailbox());
    mailboxes.map(|mailbox| format!("{}@{} box", mailbox.kept_name(), behaviour.domain)).collect()
}

fn domain_list(behaviours: impl Iterator<Item = &'static Behaviour>) -> String {
    behaviours.map(|it| it.domain).collect::<Vec<_>>().join(" ")
}

fn listener(network: &Network, host: u8, service: &'static str, settings: Settings) -> Listener {
    Listener { address: network.smtp(host).to_string(), service, settings }
}

/// The instance with the mailboxes.
pub(super) fn mailboxes(folder: &Path, network: &Network) -> anyhow::Result<Instance> {
    let config = config_folder(folder, MAILBOXES);
    let config = config.display();
    let local = behaviour("postfix-local")?;
    let states = behaviour("postfix-states")?;
    let aliases = local.mailboxes.iter().filter(|mailbox| mailbox.state.is_mailbox());
    let tls = folder.join("tls");
    let tls = tls.display();
    Ok(Instance {
        name: MAILBOXES,
        settings: vec![
            setting("myhostname", "mail.mailboxes.test"),
            setting("mydestination", local.domain),
            setting("alias_maps", format!("hash:{config}/aliases")),
            setting("local_recipient_maps", "unix:passwd.byname $alias_maps"),
            setting("virtual_mailbox_domains", domain_list(hosted_here())),
            setting("virtual_mailbox_maps", format!("hash:{config}/mailboxes")),
            setting("smtpd_tls_cert_file", format!("{tls}/certificate.pem")),
            setting("smtpd_tls_key_file", format!("{tls}/key.pem")),
            setting("smtpd_tls_security_level", "none"),
            // Nothing here depends on who connects, and the system's resolver may not answer at all.
            setting("smtpd_peername_lookup", "no"),
        ],
        tables: vec![
            ("mailboxes", hosted_here().flat_map(mailbox_lines).collect()),
            // Users of the system are in the table too, which changes nothing; the others exist only here.
            ("aliases", aliases.map(|mailbox| format!("{} root", mailbox.kept_name())).collect()),
            ("states", state_lines(states)),
        ],
        listeners: mailbox_listeners(network, &config.to_string()),
        name_server: network.address(nsd::HOST).to_string(),
    })
}

fn mailbox_listeners(network: &Network, config: &str) -> Vec<Listener> {
    let hang_up = vec![
        setting("smtpd_error_sleep_time", "1s"),
        setting("smtpd_soft_error_limit", "1"),
        setting("smtpd_hard_error_limit", "1"),
    ];
    let states = format!("reject_unauth_destination, check_recipient_access hash:{config}/states");
    let on = |host, settings| listener(network, host, PLAIN, settings);
    vec![
        on(10, Vec::new()),
        on(BACKEND_HOST, Vec::new()),
        on(12, hang_up),
        on(13, Vec::new()),
        on(14, vec![setting("smtpd_recipient_restrictions", states)]),
        on(15, vec![setting("smtpd_tls_security_level", "may")]),
        on(16, vec![setting("smtpd_tls_security_level", "encrypt")]),
        on(17, vec![setting("smtputf8_enable", "yes")]),
    ]
}

/// The replies for mailboxes that are full or switched off.
fn state_lines(behaviour: &Behaviour) -> Vec<String> {
    let lines = behaviour.mailboxes.iter().filter_map(|mailbox| {
        let reply = match mailbox.state {
            State::FullForNow => "452 4.2.2 Mailbox full",
            State::FullForGood => "552 5.2.2 Mailbox is over its quota",
            State::Disabled => "550 5.2.1 The mailbox is disabled, not accepting messages",
            _ => return None,
        };
        Some(format!("{}@{} {reply}", mailbox.kept_name(), behaviour.domain))
    });
    lines.collect()
}

/// The instance with the gates.
pub(super) fn gates(folder: &Path, network: &Network, greet_delay_s: u32) -> anyhow::Result<Instance> {
    let config = config_folder(folder, GATES);
    let config = config.display();
    let unverified = behaviour("postfix-unverified")?;
    let postscreen = behaviour("postfix-postscreen")?;
    let backend = network.address(BACKEND_HOST);
    let port = network.smtp_port();
    Ok(Instance {
        name: GATES,
        settings: vec![
            setting("myhostname", "mail.gates.test"),
            setting("virtual_mailbox_domains", domain_list(behind_gates())),
            setting("virtual_mailbox_maps", format!("hash:{config}/mailboxes")),
            setting("relay_domains", unverified.domain),
            setting("relay_recipient_maps", ""),
            setting("relay_transport", format!("smtp:[{backend}]:{port}")),
            setting("address_verify_poll_delay", "1s"),
            setting("address_verify_poll_count", "5"),
            setting("postscreen_greet_wait", format!("{greet_delay_s}s")),
            setting("postscreen_greet_banner", format!("mx1.{} please wait", postscreen.domain)),
            // Forgets at once who has waited, so that everybody always does.
            setting("postscreen_greet_ttl", "1s"),
            setting("postscreen_client_connection_count_limit", "500"),
        ],
        tables: vec![("mailboxes", behind_gates().flat_map(mailbox_lines).collect())],
        listeners: gate_listeners(network),
        name_server: network.address(nsd::HOST).to_string(),
    })
}

fn gate_listeners(network: &Network) -> Vec<Listener> {
    let policy = network.at(postgrey::HOST, postgrey::PORT);
    let refuse_listed = "Mail from IP 127.0.0.1 was rejected due to listing in Spamhaus PBL. \
                         For details please see https://www.spamhaus.org/query/ip/127.0.0.1";
    let restricted = |host, restriction: String| {
        let all = format!("{restriction}, reject_unauth_destination");
        listener(network, host, WITH_RIG_DNS, vec![setting("smtpd_recipient_restrictions", all)])
    };
    let after = |host, restriction: String| {
        let all = format!("reject_unauth_destination, {restriction}");
        listener(network, host, WITH_RIG_DNS, vec![setting("smtpd_recipient_restrictions", all)])
    };
    let counted = vec![
        setting("smtpd_client_message_rate_limit", "6"),
        setting("smtpd_client_connection_rate_limit", "12"),
    ];
    vec![
        after(20, format!("check_policy_service inet:{policy}")),
        restricted(21, format!("reject_rbl_client {}", zones::BLOCK_LIST)),
        restricted(22, format!("check_client_access static:{{550 5.7.1 {refuse_listed}}}")),
        listener(network, 23, WITH_RIG_DNS, counted),
        restricted(24, "reject_unknown_client_hostname".to_owned()),
        after(25, "reject_unverified_recipient".to_owned()),
        listener(network, 26, "inet n - n - 1 postscreen", Vec::new()),
        Listener { address: "smtpd".to_owned(), service: "pass - - y - - smtpd", settings: Vec::new() },
    ]
}
