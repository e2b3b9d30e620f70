//! `Phone`: one telephone number in E.164 form, with the country it belongs to.

use std::fmt;

use rlibphonenumber::{
    PHONE_NUMBER_UTIL, PhoneNumber, PhoneNumberFormat, PhoneNumberType, get_national_significant_number_owned,
};
use serde::{Deserialize, Serialize};

use crate::parse_error::ParseError;
use crate::person::LineType;

mod carrier;

pub use carrier::carrier_of;

/// A number that is valid by its country's numbering plan, or reserved for fiction so that demo data can never ring at
/// somebody's desk.
///
/// Deserialising reads back what this type has written, so it only looks at the form: the numbering plans of the world
/// are too slow to ask again for every stored record. Text that comes from outside goes through [`Phone::parse`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Phone {
    e164: String,
}

impl Phone {
    /// Reads an international number. The plus sign is required: without it the country would be a guess.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::read(text).map_err(ParseError::Phone)
    }

    fn read(text: &str) -> Result<Self, &'static str> {
        let compact = compact(text)?;
        let number = PHONE_NUMBER_UTIL
            .parse(&compact, None)
            .map_err(|_| "has no known country code or a wrong length")?;
        let fictitious = fictitious_country(&number);
        if fictitious.is_none() && !number.is_valid() {
            return Err("is not in use in its country");
        }
        Ok(Self { e164: number.format_as(PhoneNumberFormat::E164).into_owned() })
    }

    pub fn as_str(&self) -> &str {
        &self.e164
    }

    /// ISO 3166-1 alpha-2; none for numbers of no country.
    pub fn country(&self) -> Option<String> {
        let number = PHONE_NUMBER_UTIL.parse(&self.e164, None).ok()?;
        number
            .get_region_code()
            .map(|region| region.as_region_str().to_string())
            // 001 stands for numbers of no country, such as +800.
            .filter(|code| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase()))
            .or_else(|| fictitious_country(&number).map(str::to_owned))
    }
}

impl Phone {
    /// By the numbering plan of its country; many plans do not tell mobiles from other lines.
    pub fn line_type(&self) -> LineType {
        let Ok(number) = PHONE_NUMBER_UTIL.parse(&self.e164, None) else { return LineType::Unknown };
        match number.get_type() {
            PhoneNumberType::Mobile => LineType::Mobile,
            PhoneNumberType::FixedLine => LineType::Landline,
            PhoneNumberType::VoIP => LineType::Voip,
            _ => LineType::Unknown,
        }
    }
}

/// The plus sign and the digits, provided that nothing but usual separators stands between them.
fn compact(text: &str) -> Result<String, &'static str> {
    let rest = text.trim().strip_prefix('+').ok_or("does not start with a plus sign and a country code")?;
    let mut compact = String::from("+");
    for c in rest.chars() {
        match c {
            '0'..='9' => compact.push(c),
            '.' | '-' | '(' | ')' | '\u{2010}'..='\u{2013}' => {}
            c if c.is_whitespace() && !c.is_control() => {}
            _ => return Err("has a character that is neither a digit nor a separator"),
        }
    }
    // Fifteen digits are E.164's most; the sixteenth is the trunk zero of +44 (0)20 …, which the parser drops.
    match compact.len() {
        8..=17 => Ok(compact),
        _ => Err("does not have 7 to 15 digits"),
    }
}

/// The country whose regulator reserved this number for drama: 555-0100 to 555-0199 in every area code of +1, and
/// Ofcom's mobile and London ranges.
fn fictitious_country(number: &PhoneNumber) -> Option<&'static str> {
    let national = get_national_significant_number_owned(number);
    match number.country_code {
        1 if national.len() == 10
            && national.get(3..8) == Some("55501")
            && national.starts_with(is_area_code_start) =>
        {
            Some("US")
        }
        44 if national.len() == 10
            && (national.starts_with("7700900") || national.starts_with("2079460")) =>
        {
            Some("GB")
        }
        _ => None,
    }
}

fn is_area_code_start(c: char) -> bool {
    matches!(c, '2'..='9')
}

impl<'de> Deserialize<'de> for Phone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let e164 = String::deserialize(deserializer)?;
        let is_e164 = e164.strip_prefix('+').is_some_and(|digits| {
            (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        if is_e164 {
            Ok(Self { e164 })
        } else {
            Err(serde::de::Error::custom("a stored phone is not in E.164 form"))
        }
    }
}

impl TryFrom<String> for Phone {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<Phone> for String {
    fn from(phone: Phone) -> Self {
        phone.e164
    }
}

impl std::str::FromStr for Phone {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.e164)
    }
}

impl fmt::Debug for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Phone({} ***)", self.country().as_deref().unwrap_or("+"))
    }
}
