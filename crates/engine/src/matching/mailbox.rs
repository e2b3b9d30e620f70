//! Addresses that say less than they seem to: mailboxes of many people, and hosts that everybody uses.

use assay_domain::Email;
use assay_domain::person::EmailKind;

/// What stands before the @ when nobody in particular is meant.
const ROLES: &[&str] = &[
    "abuse",
    "accounting",
    "accounts",
    "admin",
    "administration",
    "billing",
    "booking",
    "career",
    "careers",
    "contact",
    "customerservice",
    "enquiries",
    "finance",
    "hello",
    "help",
    "helpdesk",
    "hr",
    "info",
    "information",
    "inquiries",
    "invoice",
    "invoices",
    "it",
    "jobs",
    "kontakt",
    "legal",
    "mail",
    "marketing",
    "media",
    "news",
    "newsletter",
    "noreply",
    "office",
    "operations",
    "orders",
    "postmaster",
    "press",
    "privacy",
    "purchasing",
    "reception",
    "recruiting",
    "recruitment",
    "sales",
    "secretary",
    "security",
    "service",
    "support",
    "team",
    "webmaster",
    "welcome",
];

/// Hosts that hand out addresses to anybody, by the label before the public suffix: hotmail.de is hotmail.
const PROVIDERS: &[&str] = &[
    "126",
    "163",
    "aol",
    "arcor",
    "att",
    "bluewin",
    "btinternet",
    "comcast",
    "fastmail",
    "free",
    "freenet",
    "gmail",
    "gmx",
    "googlemail",
    "hey",
    "hotmail",
    "icloud",
    "inbox",
    "laposte",
    "libero",
    "live",
    "mac",
    "mail",
    "mailbox",
    "me",
    "msn",
    "naver",
    "onet",
    "orange",
    "outlook",
    "pm",
    "posteo",
    "proton",
    "protonmail",
    "qq",
    "rediffmail",
    "rocketmail",
    "sbcglobal",
    "sfr",
    "t-online",
    "tutanota",
    "uol",
    "verizon",
    "virgilio",
    "wanadoo",
    "web",
    "wp",
    "yahoo",
    "yandex",
    "ymail",
    "zoho",
];

/// Whether an address is read by several people, so that sharing it makes nobody the same.
pub fn is_role_mailbox(email: &Email) -> bool {
    let local = email.local().split('+').next().unwrap_or_default();
    let letters: String = local.chars().filter(|letter| !matches!(letter, '-' | '_' | '.')).collect();
    ROLES.contains(&letters.as_str())
}

/// At work or at home, by the host alone.
pub fn email_kind(email: &Email) -> EmailKind {
    let domain = email.domain();
    let label = domain.as_str().split('.').next().unwrap_or_default();
    if PROVIDERS.contains(&label) { EmailKind::Personal } else { EmailKind::Business }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(text: &str) -> Email {
        Email::parse(text).unwrap()
    }

    #[test]
    fn mailboxes_of_many_are_told_from_those_of_one() {
        for address in ["info@northwind.com", "no-reply@northwind.com", "sales+fair@northwind.com"] {
            assert!(is_role_mailbox(&email(address)), "{address}");
        }
        assert!(!is_role_mailbox(&email("ines.fox@northwind.com")));
    }

    #[test]
    fn providers_are_told_from_companies() {
        assert_eq!(email_kind(&email("ines@gmail.com")), EmailKind::Personal);
        assert_eq!(email_kind(&email("ines@hotmail.co.uk")), EmailKind::Personal);
        assert_eq!(email_kind(&email("ines@northwind.com")), EmailKind::Business);
    }
}
