//! The lists that tell what kind of address this is, and how they are looked up.
//!
//! Each is a sorted text in the binary, searched where it lies: nothing is built at start, nothing is allocated.

use std::cmp::Ordering;

use assay_domain::Email;

/// Kept by hand and small: whoever is on it gives out mailboxes to throw away.
const DISPOSABLE_CERTAIN: &str = include_str!("../data/disposable_certain.txt");
/// Gathered from many lists and large, so there are mistakes in it.
const DISPOSABLE_LIKELY: &str = include_str!("../data/disposable_likely.txt");
/// Also the services that hand out aliases of somebody's lasting mailbox.
const FREE_PROVIDERS: &str = include_str!("../data/free_providers.txt");
/// What stands before the @ of a mailbox that belongs to a post or a team.
const GENERIC_LOCAL_PARTS: &str = include_str!("../data/generic_local_parts.txt");

/// What a team adds to its mailbox for one country or language (`sales.uk`). Not every code there is: some are short
/// given names (Al, Bo, Jo).
const REGIONS: [&str; 48] = [
    "ae",
    "apac",
    "ar",
    "asia",
    "at",
    "au",
    "benelux",
    "br",
    "ca",
    "ch",
    "cn",
    "cz",
    "dach",
    "de",
    "dk",
    "emea",
    "en",
    "es",
    "eu",
    "europe",
    "fi",
    "fr",
    "gb",
    "global",
    "gr",
    "hk",
    "hu",
    "ie",
    "in",
    "international",
    "it",
    "jp",
    "kr",
    "latam",
    "mx",
    "nl",
    "nordics",
    "nz",
    "pl",
    "pt",
    "ro",
    "sg",
    "sk",
    "tr",
    "uk",
    "us",
    "usa",
    "za",
];

/// Machines put these before or behind whatever else they want to say.
const UNATTENDED: [&str; 6] = ["noreply", "no-reply", "no_reply", "no.reply", "donotreply", "mailer-daemon"];

/// How sure it is that the mailbox was made to be thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposable {
    /// On the list that is kept by hand.
    Certain,
    /// Only on the large list.
    Likely,
}

pub(crate) fn disposable(email: &Email) -> Option<Disposable> {
    if any_parent(email, DISPOSABLE_CERTAIN) {
        Some(Disposable::Certain)
    } else if any_parent(email, DISPOSABLE_LIKELY) {
        Some(Disposable::Likely)
    } else {
        None
    }
}

pub(crate) fn free_provider(email: &Email) -> bool {
    any_parent(email, FREE_PROVIDERS)
}

/// Whether the host, its registrable domain or a name between them is listed. Not above: there others register.
fn any_parent(email: &Email, list: &str) -> bool {
    let domain = email.domain();
    let mut name = email.host();
    loop {
        if contains(list, name) {
            return true;
        }
        match name.split_once('.') {
            Some((_, parent)) if name != domain.as_str() => name = parent,
            _ => return false,
        }
    }
}

/// Whether the part before the @ names a post or a team.
///
/// A tag (`info+fair`), a number (`sales2`) and a region (`support.fr`) change nothing, and two such words are as good
/// as one (`sales.support`). Other words do: `post.maria` is Maria Post, `service.kowalski` nobody knows.
pub(crate) fn generic(local: &str) -> bool {
    let name = local.split('+').next().unwrap_or_default();
    if is_generic_word(name) || UNATTENDED.iter().any(|word| name.starts_with(word) || name.ends_with(word)) {
        return true;
    }
    let mut words = name.split(['.', '-', '_']);
    words.next().is_some_and(is_generic_word)
        && words.all(|word| REGIONS.contains(&word) || is_number(word) || is_generic_word(word))
}

fn is_generic_word(word: &str) -> bool {
    contains(GENERIC_LOCAL_PARTS, word.trim_end_matches(|c: char| c.is_ascii_digit()))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// Binary search among the lines of a text that is sorted bytewise.
fn contains(list: &str, entry: &str) -> bool {
    let mut rest = list;
    while !rest.is_empty() {
        // The line that the middle falls into.
        let start = rest.get(..rest.len() / 2).and_then(|half| half.rfind('\n')).map_or(0, |end| end + 1);
        let Some((before, from)) = rest.split_at_checked(start) else {
            return false;
        };
        let (line, after) = from.split_once('\n').unwrap_or((from, ""));
        match entry.cmp(line) {
            Ordering::Equal => return true,
            Ordering::Less => rest = before,
            Ordering::Greater => rest = after,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use assay_domain::Email;
    use proptest::prelude::*;

    use super::{
        DISPOSABLE_CERTAIN, DISPOSABLE_LIKELY, Disposable, FREE_PROVIDERS, GENERIC_LOCAL_PARTS, contains,
        disposable, free_provider, generic,
    };

    const DOMAINS: [&str; 3] = [DISPOSABLE_CERTAIN, DISPOSABLE_LIKELY, FREE_PROVIDERS];

    fn at(host: &str) -> Email {
        Email::parse(&format!("jane.doe@{host}")).unwrap()
    }

    #[test]
    fn every_list_is_sorted_lower_case_ascii_without_duplicates_or_empty_lines() {
        for list in DOMAINS.iter().chain(&[GENERIC_LOCAL_PARTS]) {
            assert!(list.ends_with('\n'));
            let lines: Vec<&str> = list.lines().collect();
            assert!(lines.is_sorted_by(|a, b| a < b));
            for line in lines {
                let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
                assert!(!line.is_empty() && line.bytes().all(plain), "{line:?}");
            }
        }
    }

    /// Else the lists would contradict each other, or a line could never be reached. What is certain may lie below what
    /// is likely, since it is asked first.
    #[test]
    fn no_domain_is_listed_twice_or_below_one_that_says_the_same_or_the_contrary() {
        for list in DOMAINS {
            let above =
                DOMAINS.iter().filter(|other| list != DISPOSABLE_CERTAIN || **other != DISPOSABLE_LIKELY);
            let above: Vec<&&str> = above.collect();
            for line in list.lines() {
                let listed = DOMAINS.iter().filter(|other| contains(other, line)).count();
                assert_eq!(listed, 1, "{line}");
                let mut name = line;
                while let Some((_, parent)) = name.split_once('.').filter(|(_, parent)| parent.contains('.'))
                {
                    assert!(!above.iter().any(|other| contains(other, parent)), "{line} below {parent}");
                    name = parent;
                }
            }
        }
    }

    #[test]
    fn every_listed_domain_can_stand_in_an_address() {
        for line in DOMAINS.iter().flat_map(|list| list.lines()) {
            let email = Email::parse(&format!("a@{line}"));
            assert!(email.is_ok_and(|email| email.host() == line), "{line}");
        }
    }

    #[test]
    fn no_generic_word_ends_in_a_digit_which_is_cut_off_before_the_search() {
        let reachable = |word: &str| !word.ends_with(|c: char| c.is_ascii_digit());
        assert!(GENERIC_LOCAL_PARTS.lines().all(reachable));
    }

    #[test]
    fn every_line_of_a_list_is_found() {
        for list in DOMAINS.iter().chain(&[GENERIC_LOCAL_PARTS]) {
            for line in list.lines() {
                assert!(contains(list, line), "{line}");
            }
        }
        assert!(!contains(DISPOSABLE_LIKELY, ""));
        assert!(!contains("", "a"));
    }

    proptest! {
        #[test]
        fn the_search_agrees_with_a_set(
            lines in prop::collection::btree_set("[a-z.é-]{1,6}", 0..40), entry in "[a-z.é-]{0,3}"
        ) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            prop_assert_eq!(contains(&text, &entry), lines.contains(&entry));
            for line in &lines {
                prop_assert!(contains(&text, line));
            }
        }

        #[test]
        fn a_sub_domain_is_what_its_domain_is(label in "[a-z]{1,8}", pick in any::<prop::sample::Index>()) {
            let listed: Vec<&str> = DISPOSABLE_CERTAIN.lines().collect();
            let host = pick.get(&listed);
            prop_assert_eq!(disposable(&at(&format!("{label}.{host}"))), Some(Disposable::Certain));
        }

        #[test]
        fn a_given_and_a_family_name_are_never_generic(
            given in prop::sample::select(GIVEN.to_vec()), family in prop::sample::select(FAMILY.to_vec()),
            joint in prop::sample::select(vec!["", ".", "-", "_"]), number in prop::option::of(0_u8..99),
        ) {
            let number = number.map(|n| n.to_string()).unwrap_or_default();
            for local in [
                format!("{given}{number}"), format!("{family}{number}"), format!("{given}{joint}{family}{number}"),
                format!("{family}{joint}{given}{number}"), format!("{}{joint}{family}", &given[..1]),
            ] {
                prop_assert!(!generic(&local), "{}", local);
            }
        }
    }

    const GIVEN: [&str; 30] = [
        "alexa", "alla", "art", "ask", "berlin", "bill", "boston", "carol", "chance", "china", "dev", "drew",
        "france", "grant", "india", "job", "mark", "max", "may", "page", "paris", "pat", "paul", "per",
        "reg", "rob", "sem", "sue", "sydney", "will",
    ];
    const FAMILY: [&str; 30] = [
        "bills", "brand", "chen", "church", "cloud", "cook", "day", "eng", "english", "field", "gardner",
        "hall", "head", "house", "kim", "law", "list", "master", "mayor", "merchant", "money", "pastor",
        "price", "root", "sale", "seo", "sharp", "smith", "street", "west",
    ];

    #[test]
    fn mailboxes_of_posts_and_teams_are_generic() {
        let words = "info sales support contact hr admin noreply no-reply postmaster kontakt buchhaltung vertrieb \
            comptabilite accueil ventas recursoshumanos segreteria vendite atendimento financeiro customer.service \
            human_resources info+fair sales2 info.de support-fr sales.support info-2024 alerts-noreply \
            noreply-invoices careers press post office team";
        for local in words.split_whitespace() {
            assert!(generic(local), "{local}");
        }
    }

    #[test]
    fn what_only_looks_like_a_post_is_not_generic() {
        let words = "s.ales b.rand post.maria sales.jane service.kowalski infomaria hrvoje salesman.joe 123 2024 jd \
            pm +info de.sales + it.jane supporter dev.patel jane+info jane.info";
        for local in words.split_whitespace() {
            assert!(!generic(local), "{local}");
        }
    }

    #[test]
    fn throw_away_services_are_disposable_on_both_lists() {
        for host in ["mailinator.com", "yopmail.com", "guerrillamail.com", "x.y.mailinator.com"] {
            assert_eq!(disposable(&at(host)), Some(Disposable::Certain), "{host}");
        }
        for host in ["33mail.com", "burnermail.io", "spamgourmet.com"] {
            assert_eq!(disposable(&at(host)), Some(Disposable::Likely), "{host}");
        }
    }

    #[test]
    fn an_alias_of_a_lasting_mailbox_is_free_but_not_disposable() {
        let hosts = "duck.com privaterelay.appleid.com mozmail.com simplelogin.com slmail.me aleeas.com passmail.net \
            anonaddy.me jane.anonaddy.com proton.me pm.me protonmail.com fastmail.com fastmail.fm sent.com hey.com \
            tutanota.com keemail.me hushmail.com icloud.com me.com gmail.com googlemail.com outlook.de zoho.com \
            ukr.net onet.pl freemail.hu bol.com.br sify.com vip.qq.com gmx.de web.de consultant.com";
        for host in hosts.split_whitespace() {
            assert!(free_provider(&at(host)), "{host}");
            assert_eq!(disposable(&at(host)), None, "{host}");
        }
    }

    #[test]
    fn a_company_a_school_or_an_authority_is_neither_free_nor_disposable() {
        let hosts = "acme.example facebook.com example.com go.com google.com microsoft.com apple.com alibaba.com \
            cloud.com angi.com whitehouse.gov tulane.edu hackney.gov.uk ba-mitte.berlin.de team.telstra.com \
            comcast.com charter.com cox.com clerk.com debian.org dreamhost.com improvmx.com gail.com uk.com";
        for host in hosts.split_whitespace() {
            assert!(!free_provider(&at(host)), "{host}");
            assert_eq!(disposable(&at(host)), None, "{host}");
        }
    }

    #[test]
    fn what_others_register_below_a_suffix_is_not_judged_by_it() {
        let neighbours: BTreeSet<bool> = ["acme.pp.ua", "acme.uk.com", "acme.web.id"]
            .into_iter()
            .map(|host| free_provider(&at(host)))
            .collect();
        assert_eq!(neighbours, BTreeSet::from([false]));
    }
}
