//! Which address was probably meant: hosts one slip of the finger away from a large provider's, and endings that no
//! domain has.
//!
//! A suggestion is a hint for whoever typed the address, never a verdict: nearly every such host is registered.

use assay_domain::Email;
use strsim::osa_distance;

use crate::lists;

/// A host that millions of people write, the most written first.
struct Popular {
    name: &'static str,
    ending: &'static str,
    slack: Slack,
}

/// What may be wrong in a host that is still taken for the popular one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slack {
    /// Only the ending. The name is short or a word, so that its neighbours are other people's names: `live.com` has
    /// `life.com`, `love.com`, `olive.com`.
    Ending,
    /// One slip in the name.
    One,
    /// Two slips: the name is so long that nothing else is near it.
    Two,
    /// One slip, and there is no such host under any other ending.
    OneAnywhere,
}

impl Slack {
    fn slips(self) -> usize {
        match self {
            Self::Ending => 0,
            Self::One | Self::OneAnywhere => 1,
            Self::Two => 2,
        }
    }
}

const fn popular(name: &'static str, ending: &'static str, slack: Slack) -> Popular {
    Popular { name, ending, slack }
}

const POPULAR: [Popular; 50] = [
    popular("gmail", "com", Slack::OneAnywhere),
    popular("yahoo", "com", Slack::One),
    popular("hotmail", "com", Slack::One),
    popular("outlook", "com", Slack::One),
    popular("icloud", "com", Slack::OneAnywhere),
    popular("aol", "com", Slack::Ending),
    popular("live", "com", Slack::Ending),
    popular("msn", "com", Slack::Ending),
    popular("qq", "com", Slack::Ending),
    popular("163", "com", Slack::Ending),
    popular("hotmail", "co.uk", Slack::One),
    popular("yahoo", "co.uk", Slack::One),
    popular("hotmail", "fr", Slack::One),
    popular("web", "de", Slack::Ending),
    popular("gmx", "de", Slack::Ending),
    popular("gmx", "net", Slack::Ending),
    popular("t-online", "de", Slack::One),
    popular("googlemail", "com", Slack::Two),
    popular("protonmail", "com", Slack::Two),
    popular("comcast", "net", Slack::One),
    popular("orange", "fr", Slack::Ending),
    popular("wanadoo", "fr", Slack::One),
    popular("laposte", "net", Slack::One),
    popular("yahoo", "fr", Slack::One),
    popular("yahoo", "co.in", Slack::One),
    popular("yahoo", "com.br", Slack::One),
    popular("yahoo", "de", Slack::One),
    popular("yahoo", "it", Slack::One),
    popular("yahoo", "es", Slack::One),
    popular("hotmail", "it", Slack::One),
    popular("hotmail", "es", Slack::One),
    popular("hotmail", "de", Slack::One),
    popular("outlook", "fr", Slack::One),
    popular("outlook", "de", Slack::One),
    popular("libero", "it", Slack::One),
    popular("freenet", "de", Slack::One),
    popular("yandex", "ru", Slack::One),
    popular("rambler", "ru", Slack::One),
    popular("btinternet", "com", Slack::Two),
    popular("rediffmail", "com", Slack::Two),
    popular("sbcglobal", "net", Slack::One),
    popular("bellsouth", "net", Slack::One),
    popular("verizon", "net", Slack::One),
    popular("att", "net", Slack::Ending),
    popular("cox", "net", Slack::Ending),
    popular("charter", "net", Slack::Ending),
    popular("uol", "com.br", Slack::Ending),
    popular("bigpond", "com", Slack::One),
    popular("ymail", "com", Slack::Ending),
    popular("rocketmail", "com", Slack::Two),
];

/// Companies and people that are known to write from a host one slip away from a popular one.
const REAL: [&str; 2] = ["cloud.com", "gail.com"];

/// Endings that do not exist, and what was meant. Those that do exist (`cm`, `co`, `om`, `ne`) are doubted only behind
/// the name of a provider.
const ENDINGS: [(&str, &str); 27] = [
    ("con", "com"),
    ("cmo", "com"),
    ("ocm", "com"),
    ("comm", "com"),
    ("coom", "com"),
    ("ccom", "com"),
    ("ocom", "com"),
    ("comn", "com"),
    ("cmm", "com"),
    ("vom", "com"),
    ("xom", "com"),
    ("cpm", "com"),
    ("cim", "com"),
    ("clm", "com"),
    ("cok", "com"),
    ("c0m", "com"),
    ("nte", "net"),
    ("ent", "net"),
    ("nett", "net"),
    ("nrt", "net"),
    ("ney", "net"),
    ("met", "net"),
    ("ogr", "org"),
    ("rog", "org"),
    ("orgg", "org"),
    ("prg", "org"),
    ("couk", "co.uk"),
];

/// The address that was probably meant, if not this one.
pub(crate) fn meant(email: &Email) -> Option<Email> {
    // Disposable hosts are not spared: some were registered to catch what is mistyped.
    if lists::free_provider(email) || REAL.contains(&email.host()) {
        return None;
    }
    let mended = with_real_ending(email.host());
    let host = mended.as_deref().unwrap_or(email.host());
    let nearest = Email::parse(&format!("{}@{host}", email.local()))
        .ok()
        .filter(|other| !lists::free_provider(other) && !REAL.contains(&other.host()))
        .and_then(|other| near_popular(other.host()));
    let host = nearest.or(mended)?;
    Email::parse(&format!("{}@{host}", email.local())).ok().filter(|other| other != email)
}

fn with_real_ending(host: &str) -> Option<String> {
    ENDINGS.iter().find_map(|(wrong, right)| {
        let name = host.strip_suffix(wrong)?.strip_suffix('.').filter(|name| !name.is_empty())?;
        Some(format!("{name}.{right}"))
    })
}

/// The popular host with the fewest slips; of several, the most written.
fn near_popular(host: &str) -> Option<String> {
    let (name, ending) = host.split_once('.')?;
    let candidates = POPULAR.iter().filter_map(|popular| Some((slips(popular, name, ending)?, popular)));
    let (_, nearest) = candidates.min_by_key(|(slips, _)| *slips)?;
    Some(format!("{}.{}", nearest.name, nearest.ending))
}

/// How many slips lead from the popular host to this one; none if more than it is allowed.
fn slips(popular: &Popular, name: &str, ending: &str) -> Option<usize> {
    if name == popular.name {
        // A longer label is a name, and the host somebody's sub-domain (`gmail.acme.com`).
        let anywhere = popular.slack == Slack::OneAnywhere && ending.split('.').all(|label| label.len() <= 3);
        // Between two countries' endings one letter is all the difference there is.
        let comparable = popular.ending.len() >= 3 && country(ending) == country(popular.ending);
        let distance = osa_distance(ending, popular.ending);
        return (anywhere || (comparable && distance <= 1)).then_some(distance);
    }
    if ending != popular.ending || name.len() < 4 {
        return None;
    }
    Some(osa_distance(name, popular.name)).filter(|distance| *distance <= popular.slack.slips())
}

/// The last label of an ending that has several.
fn country(ending: &str) -> Option<&str> {
    ending.rsplit_once('.').map(|(_, country)| country)
}

/// The popular host that a text without any dot was meant to be (`gmail`, `gmailcom`, `hotmal`).
pub(crate) fn dotted(text: &str) -> Option<String> {
    let whole = |popular: &&Popular| text == popular.name || joined(text, popular);
    let near = |popular: &&Popular| {
        let slips = popular.slack.slips().min(1);
        slips > 0 && osa_distance(text, popular.name) <= slips
    };
    let found = POPULAR.iter().find(whole).or_else(|| POPULAR.iter().find(near))?;
    Some(format!("{}.{}", found.name, found.ending))
}

fn joined(text: &str, popular: &Popular) -> bool {
    text.strip_prefix(popular.name).is_some_and(|rest| rest == popular.ending.replace('.', ""))
}

#[cfg(test)]
mod tests {
    use assay_domain::Email;
    use proptest::prelude::*;

    use super::{ENDINGS, POPULAR, REAL, Slack, dotted, meant};
    use crate::lists;

    fn at(host: &str) -> Email {
        Email::parse(&format!("jane.doe@{host}")).unwrap()
    }

    fn suggested(host: &str) -> Option<String> {
        meant(&at(host)).map(|email| {
            assert_eq!(email.local(), "jane.doe");
            email.host().to_owned()
        })
    }

    #[test]
    fn slips_of_the_finger_lead_back_to_the_provider() {
        let pairs = "gmial.com gmail.com gmal.com gmail.com gnail.com gmail.com gmaill.com gmail.com gamil.com \
            gmail.com gmail.con gmail.com gmail.co gmail.com gmail.cm gmail.com gmail.fr gmail.com gmial.con gmail.com \
            yaho.com yahoo.com yahooo.com yahoo.com yahoo.co yahoo.com yahoo.vo.uk yahoo.co.uk hotmial.com hotmail.com \
            hotmal.fr hotmail.fr hotmai.co.uk hotmail.co.uk outlok.com outlook.com outllok.com outlook.com iclould.com \
            icloud.com icoud.com icloud.com aol.con aol.com live.cm live.com gmx.nett gmx.net \
            gogglemial.com googlemail.com protonmial.con protonmail.com wandoo.fr wanadoo.fr comcast.met comcast.net \
            gmail.com.com gmail.com gmail.co.uk gmail.com";
        let words: Vec<&str> = pairs.split_whitespace().collect();
        for pair in words.chunks(2) {
            assert_eq!(suggested(pair[0]).as_deref(), Some(pair[1]), "{}", pair[0]);
        }
    }

    #[test]
    fn an_ending_that_does_not_exist_is_mended_for_any_company() {
        assert_eq!(suggested("acme.con").as_deref(), Some("acme.com"));
        assert_eq!(suggested("mail.acme.ogr").as_deref(), Some("mail.acme.org"));
        assert_eq!(suggested("cloud.con").as_deref(), Some("cloud.com"));
        assert_eq!(suggested("acme.couk").as_deref(), Some("acme.co.uk"));
    }

    #[test]
    fn a_real_host_gets_no_suggestion() {
        let hosts = "gmail.com mail.com email.com ymail.com gmx.de gmx.net gmx.at web.de me.com mac.com live.com \
            life.com olive.com love.com line.com cloud.com gail.com orange.com grange.fr comcast.com verizon.com \
            att.com yahoo.fr yahoo.it yahoo.lt hotmail.be yahoo.co.il yahoo.com.ar yahoo.com.hr outlook.it outlook.es acme.example acme.co acme.cm \
            aon.com amazon.com meta.com msc.com mst.com hotel.com postmail.com mailinator.com proton.me proton.com \
            fastmail.com gmail.acme.com web.com gmx.example qc.com free.com icloud.com naver.com xn--bcher-kva.example";
        for host in hosts.split_whitespace() {
            assert_eq!(suggested(host), None, "{host}");
        }
    }

    #[test]
    fn every_popular_host_is_a_free_provider_and_near_none_that_is_known_to_be_real() {
        for popular in &POPULAR {
            assert!(lists::free_provider(&at(&format!("{}.{}", popular.name, popular.ending))));
            assert!(popular.slack == Slack::Ending || popular.name.len() >= 5, "{}", popular.name);
        }
        assert!(REAL.iter().all(|host| !lists::free_provider(&at(host))));
        assert!(ENDINGS.iter().all(|(wrong, right)| wrong != right));
    }

    #[test]
    fn a_host_without_a_dot_is_a_provider_or_nothing() {
        assert_eq!(dotted("gmail").as_deref(), Some("gmail.com"));
        assert_eq!(dotted("gmailcom").as_deref(), Some("gmail.com"));
        assert_eq!(dotted("hotmailcouk").as_deref(), Some("hotmail.co.uk"));
        assert_eq!(dotted("yaho").as_deref(), Some("yahoo.com"));
        assert_eq!(dotted("acme"), None);
        assert_eq!(dotted("olive"), None);
    }

    proptest! {
        #[test]
        fn a_suggestion_is_settled_and_never_the_address_itself(
            name in "[a-z]{2,10}", ending in prop::sample::select(vec!["com", "con", "net", "de", "co", "cm", "fr"])
        ) {
            let email = at(&format!("{name}.{ending}"));
            if let Some(other) = meant(&email) {
                prop_assert_ne!(&other, &email);
                prop_assert_eq!(meant(&other), None);
            }
        }

        #[test]
        fn two_letters_swapped_in_a_long_name_are_found(
            popular in prop::sample::select(vec!["gmail.com", "hotmail.com", "outlook.com", "icloud.com", "yandex.ru"]),
            at_letter in 1_usize..4,
        ) {
            let mut letters: Vec<char> = popular.chars().collect();
            letters.swap(at_letter, at_letter + 1);
            let host: String = letters.into_iter().collect();
            if host != popular && !lists::free_provider(&at(&host)) {
                prop_assert_eq!(suggested(&host), Some(popular.to_owned()));
            }
        }
    }
}
