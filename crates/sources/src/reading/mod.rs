//! What all readers of answers share: walking JSON that may be anything, and taking from it only what can be parsed.
//!
//! Nothing here fails: what is missing, of another type or unreadable is not there. A vendor's odd field costs that field,
//! not the answer.

mod records;
mod status;
mod words;

pub(crate) use records::{business, job, person, place};
pub(crate) use status::{open, parse, refusal, retry_after};
pub(crate) use words::{company_kind, confidence_of_percent, email_status, line_type};

use assay_domain::{Confidence, Domain, Email, NetworkHosts, NetworkUrl, Phone};
use chrono::NaiveDate;
use serde_json::Value;

/// Of one text: no title, name or description of use is longer, and answers are kept.
const TEXT_BYTES_MAX: usize = 4_096;
/// Of one list: jobs, skills, addresses. The newest and best come first.
const ITEMS_MAX: usize = 100;

/// A place in an answer, where there may be nothing.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    value: Option<&'a Value>,
    hosts: &'a NetworkHosts,
}

impl<'a> Piece<'a> {
    pub(crate) fn new(value: &'a Value, hosts: &'a NetworkHosts) -> Self {
        Self { value: Some(value), hosts }
    }

    /// What is found below, by names with dots between them.
    pub(crate) fn at(self, path: &str) -> Self {
        let value =
            self.value.and_then(|value| path.split('.').try_fold(value, |value, name| value.get(name)));
        Self { value, ..self }
    }

    /// The first of these places that holds something.
    pub(crate) fn either(self, paths: &[&str]) -> Self {
        let mut places = paths.iter().map(|path| self.at(path));
        places.find(|place| place.is_there()).unwrap_or(Self { value: None, ..self })
    }

    pub(crate) fn items(self) -> impl Iterator<Item = Self> {
        let items = self.value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        items.iter().take(ITEMS_MAX).map(move |value| Self { value: Some(value), ..self })
    }

    /// Whether there is something: neither null, nor an empty text, list or object.
    pub(crate) fn is_there(self) -> bool {
        match self.value {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(Value::Array(items)) => !items.is_empty(),
            Some(Value::Object(fields)) => !fields.is_empty(),
            Some(Value::Bool(_) | Value::Number(_)) => true,
        }
    }

    pub(crate) fn text(self) -> Option<&'a str> {
        let text = self.value?.as_str()?.trim();
        text.get(..text.floor_char_boundary(TEXT_BYTES_MAX))
            .map(str::trim_end)
            .filter(|text| !text.is_empty())
    }

    pub(crate) fn owned(self) -> Option<String> {
        self.text().map(str::to_owned)
    }

    pub(crate) fn texts(self) -> Vec<String> {
        self.items().filter_map(Self::owned).collect()
    }

    pub(crate) fn flag(self) -> Option<bool> {
        self.value?.as_bool()
    }

    pub(crate) fn whole<N: TryFrom<i64>>(self) -> Option<N> {
        N::try_from(self.value?.as_i64()?).ok()
    }

    /// A number with up to three decimals, in thousandths.
    pub(crate) fn thousandths(self) -> Option<u32> {
        let number = self.value?.as_f64().filter(|number| (0.0..=1e6).contains(number))?;
        format!("{number:.3}").replace('.', "").parse().ok()
    }

    /// A confidence from 0 to 1.
    pub(crate) fn share(self) -> Option<Confidence> {
        let thousandths = self.thousandths().filter(|thousandths| *thousandths <= 1_000)?;
        u8::try_from(thousandths / 10).ok().map(Confidence::percent)
    }

    /// A confidence from 0 to 100.
    pub(crate) fn percent(self) -> Option<Confidence> {
        self.whole().and_then(confidence_of_percent)
    }

    /// An address that is shown in full: vendors put asterisks into those that are not paid for.
    pub(crate) fn email(self) -> Option<Email> {
        Email::parse(self.text()?).ok().filter(|email| !email.local().contains('*'))
    }

    /// A number in international form; vendors leave the plus sign out, so it is added where only digits stand.
    pub(crate) fn phone(self) -> Option<Phone> {
        let text = self.text()?;
        let bare = text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_digit());
        if bare { Phone::parse(&format!("+{text}")).ok() } else { Phone::parse(text).ok() }
    }

    pub(crate) fn domain(self) -> Option<Domain> {
        Domain::parse(self.text()?).ok()
    }

    /// A page on the professional network.
    pub(crate) fn page(self) -> Option<NetworkUrl> {
        NetworkUrl::parse(self.text()?, self.hosts).ok()
    }

    /// ISO 3166-1 alpha-2. Names of countries are not guessed at.
    pub(crate) fn country(self) -> Option<String> {
        let text = self.text()?;
        (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()))
            .then(|| text.to_ascii_uppercase())
    }

    /// A day. Of a year or a month it is the first day, of a moment the day it is on.
    pub(crate) fn date(self) -> Option<NaiveDate> {
        let text = self.text()?;
        let day = text.split(['T', ' ']).next()?;
        let mut parts = day.split('-');
        let year = parts.next()?;
        let mut part = || parts.next().map_or(Some(1), |part| part.parse().ok());
        let (month, day) = (part()?, part()?);
        let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
        NaiveDate::from_ymd_opt(year.parse().ok().filter(|_| is_year)?, month, day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn date(text: &str) -> Option<String> {
        Piece::new(&json!(text), &NetworkHosts::default()).date().map(|date| date.to_string())
    }

    #[test]
    fn a_date_is_read_as_far_as_it_goes() {
        assert_eq!(date("2021").as_deref(), Some("2021-01-01"));
        assert_eq!(date("2021-03").as_deref(), Some("2021-03-01"));
        assert_eq!(date("2021-03-04T10:00:00Z").as_deref(), Some("2021-03-04"));
        for wrong in ["", "soon", "2021-13", "03/2021", "+2021", "2021-02-30", "-1-1"] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_field_of_another_type_is_not_there() {
        let hosts = NetworkHosts::default();
        let answer = json!({"email": true, "list": {"a": 1}, "text": ["a"], "score": "90", "deep": null});
        let piece = Piece::new(&answer, &hosts);
        assert!(piece.at("email").email().is_none());
        assert_eq!(piece.at("list").items().count(), 0);
        assert!(piece.at("text").text().is_none());
        assert!(piece.at("score").percent().is_none());
        assert!(!piece.at("deep.er.still").is_there());
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        let hosts = NetworkHosts::default();
        let answer = json!("é".repeat(TEXT_BYTES_MAX));
        assert!(Piece::new(&answer, &hosts).text().is_some_and(|text| text.len() <= TEXT_BYTES_MAX));
    }

    #[test]
    fn decimals_are_counted_without_rounding_up_a_whole() {
        let hosts = NetworkHosts::default();
        let read = |value: Value| Piece::new(&value, &hosts).thousandths();
        assert_eq!(read(json!(0.25)), Some(250));
        assert_eq!(read(json!(10)), Some(10_000));
        assert_eq!(read(json!(-1)), None);
        assert_eq!(read(json!(1e300)), None);
        assert_eq!(Piece::new(&json!(0.925), &hosts).share(), Some(Confidence::percent(92)));
    }
}
