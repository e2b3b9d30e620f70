//! The values of filters: one text or an array of them, each of a form that its schema tells.

use assay_domain::limits::{DOMAIN_CHARS_MAX, FILTER_VALUES_MAX, NAME_CHARS_MAX};
use assay_domain::taxonomy::{Department, FundingStage, Industry, Seniority, SizeBand};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// What one value of a filter may be. `read` refuses with words that a fault is made of: "…, expected …".
pub trait FilterValue: Sized {
    fn read(text: &str) -> Result<Self, String>;

    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

/// The values of one filter: whatever has one of them is meant.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Values<T> {
    values: Vec<T>,
    #[serde(skip)]
    is_list: bool,
}

impl<T> Values<T> {
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    /// Each value, and where it stands in the request.
    pub fn placed<'a>(&'a self, field: &'a str) -> impl Iterator<Item = (String, &'a T)> {
        let pointer =
            move |place: usize| if self.is_list { format!("{field}/{place}") } else { field.to_owned() };
        self.values.iter().enumerate().map(move |(place, value)| (pointer(place), value))
    }
}

impl<'de, T: FilterValue> Deserialize<'de> for Values<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValuesVisitor(PhantomData))
    }
}

struct ValuesVisitor<T>(PhantomData<T>);

impl<'de, T: FilterValue> Visitor<'de> for ValuesVisitor<T> {
    type Value = Values<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a text, or an array of 1 to {FILTER_VALUES_MAX} of them")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Values<T>, E> {
        Ok(Values { values: vec![T::read(text).map_err(E::custom)?], is_list: false })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Values<T>, A::Error> {
        let mut values = Vec::new();
        while let Some(OneValue(value)) = items.next_element()? {
            if values.len() == FILTER_VALUES_MAX {
                return Err(A::Error::invalid_length(values.len() + 1, &self));
            }
            values.push(value);
        }
        if values.is_empty() {
            return Err(A::Error::invalid_length(0, &self));
        }
        Ok(Values { values, is_list: true })
    }
}

/// One value, inside an array or alone.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct OneValue<T>(pub T);

impl<'de, T: FilterValue> Deserialize<'de> for OneValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::read(&text).map(Self).map_err(D::Error::custom)
    }
}

impl<T: FilterValue> JsonSchema for OneValue<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FilterValue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::schema(generator)
    }
}

impl<T: FilterValue> JsonSchema for Values<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FilterValues".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        one_or_more::<T>(generator, FILTER_VALUES_MAX)
    }
}

fn one_or_more<T: FilterValue>(generator: &mut SchemaGenerator, most: usize) -> Schema {
    let (one, item) = (T::schema(generator), T::schema(generator));
    json_schema!({ "anyOf": [one, { "type": "array", "items": item, "minItems": 1, "maxItems": most }] })
}

/// The values of one filter of a query, comma-separated there. A value may have commas of its own, as a few industries do.
#[derive(Debug, Clone)]
pub struct Listed<T, const MOST: usize = FILTER_VALUES_MAX>(pub Vec<T>);

/// No value has more.
const COMMAS_OF_ONE_MAX: usize = 3;

impl<'de, T: FilterValue, const MOST: usize> Deserialize<'de> for Listed<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parts: Vec<&str> = text.split(',').collect();
        let (mut values, mut rest) = (Vec::new(), parts.as_slice());
        while let Some(first) = rest.first() {
            let joined =
                (2..=COMMAS_OF_ONE_MAX + 1).filter_map(|count| Some((rest.get(..count)?.join(","), count)));
            let (value, count) = match T::read(first) {
                Ok(value) => (value, 1),
                Err(reason) => joined
                    .filter_map(|(text, count)| Some((T::read(&text).ok()?, count)))
                    .next()
                    .ok_or_else(|| D::Error::custom(reason))?,
            };
            values.push(value);
            rest = rest.get(count..).unwrap_or_default();
        }
        if values.len() > MOST {
            return Err(D::Error::custom(format!("too many values, expected at most {MOST}")));
        }
        Ok(Self(values))
    }
}

impl<T: FilterValue, const MOST: usize> JsonSchema for Listed<T, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ListedValues".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        one_or_more::<T>(generator, MOST)
    }
}

/// A few words.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Phrase(pub String);

impl FilterValue for Phrase {
    fn read(text: &str) -> Result<Self, String> {
        let fits = !text.trim().is_empty() && text.chars().count() <= NAME_CHARS_MAX;
        let reason =
            || format!("invalid text, expected 1 to {NAME_CHARS_MAX} characters, not all of them spaces");
        fits.then(|| Self(text.to_owned())).ok_or_else(reason)
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": NAME_CHARS_MAX, "pattern": "\\S" })
    }
}

/// A company's domain, not looked at yet.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct DomainText(pub String);

impl FilterValue for DomainText {
    fn read(text: &str) -> Result<Self, String> {
        let fits = text.chars().count() <= DOMAIN_CHARS_MAX;
        let reason = || format!("invalid text, expected a domain of at most {DOMAIN_CHARS_MAX} characters");
        fits.then(|| Self(text.to_owned())).ok_or_else(reason)
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": DOMAIN_CHARS_MAX })
    }
}

/// Two letters: a country (ISO 3166-1 alpha-2) or a language (ISO 639-1), in lower case.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct TwoLetters(pub String);

impl FilterValue for TwoLetters {
    fn read(text: &str) -> Result<Self, String> {
        let fits = text.len() == 2 && text.chars().all(|letter| letter.is_ascii_alphabetic());
        let reason = || "invalid code, expected two letters".to_owned();
        fits.then(|| Self(text.to_ascii_lowercase())).ok_or_else(reason)
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Za-z]{2}$" })
    }
}

/// One of a list of words, spelt as the list has it.
fn read_word<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str, text: &str) -> Result<T, String> {
    all.iter().copied().find(|term| word(*term) == text).ok_or_else(|| {
        let known: Vec<String> = all.iter().map(|term| format!("`{}`", word(*term))).collect();
        format!("unknown variant `{text}`, expected one of {}", known.join(", "))
    })
}

/// A list of words under its own name, so that the document has it once.
fn named(
    generator: &mut SchemaGenerator,
    name: &'static str,
    words: impl Iterator<Item = &'static str>,
) -> Schema {
    let list = json!({ "type": "string", "enum": words.collect::<Vec<_>>() });
    generator.definitions_mut().insert(name.to_owned(), list);
    let place = format!("#{}/{name}", generator.settings().definitions_path);
    json_schema!({ "$ref": place })
}

impl FilterValue for Seniority {
    fn read(text: &str) -> Result<Self, String> {
        read_word(Self::ALL, Self::as_str, text)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        named(generator, "Seniority", Self::ALL.iter().map(|term| term.as_str()))
    }
}

impl FilterValue for Department {
    fn read(text: &str) -> Result<Self, String> {
        read_word(Self::ALL, Self::as_str, text)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        named(generator, "Department", Self::ALL.iter().map(|term| term.as_str()))
    }
}

impl FilterValue for SizeBand {
    fn read(text: &str) -> Result<Self, String> {
        read_word(Self::ALL, Self::as_str, text)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        named(generator, "CompanySize", Self::ALL.iter().map(|term| term.as_str()))
    }
}

impl FilterValue for FundingStage {
    fn read(text: &str) -> Result<Self, String> {
        read_word(Self::ALL, Self::as_str, text)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        named(generator, "FundingStage", Self::ALL.iter().map(|term| term.as_str()))
    }
}

impl FilterValue for Industry {
    fn read(text: &str) -> Result<Self, String> {
        let all: Vec<Self> = Self::all().collect();
        read_word(&all, Self::as_str, text)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        named(generator, "Industry", Self::all().map(Self::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn read<T: FilterValue>(value: Value) -> Result<Values<T>, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn one_value_may_stand_alone_and_several_in_an_array() {
        let one: Values<Seniority> = read(json!("vp")).unwrap();
        assert_eq!(one.placed("/seniority").map(|(place, _)| place).collect::<Vec<_>>(), ["/seniority"]);
        let two: Values<Seniority> = read(json!(["vp", "head"])).unwrap();
        assert_eq!(two.iter().collect::<Vec<_>>(), [&Seniority::Vp, &Seniority::Head]);
        assert_eq!(two.placed("/s").map(|(place, _)| place).collect::<Vec<_>>(), ["/s/0", "/s/1"]);
        for wrong in [json!([]), json!(7), json!("VP"), json!(["vp", 1]), json!(vec!["vp"; 101])] {
            assert!(read::<Seniority>(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_comma_parts_values_and_may_be_a_part_of_one() {
        let read = |text: &str| serde_json::from_value::<Listed<Industry, 3>>(json!(text));
        let all: Vec<Industry> = Industry::all().collect();
        for (first, second) in all.iter().zip(all.iter().rev()) {
            let Listed(both) = read(&format!("{},{}", first.as_str(), second.as_str())).unwrap();
            assert_eq!(both, [*first, *second]);
        }
        assert_eq!(read("Law Practice").unwrap().0, [Industry::read("Law Practice").unwrap()]);
        for wrong in ["", ",", "Law Practice,", "Health", "Leisure, Travel", &["Law Practice"; 4].join(",")] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let told = read("Law Practice,Lawn").unwrap_err().to_string();
        assert!(told.starts_with("unknown variant `Lawn`, expected one of `Accounting`"), "{told}");
    }

    #[test]
    fn a_value_is_taken_if_and_only_if_its_schema_takes_it() {
        fn check<T: FilterValue>(values: &[Value]) {
            let mut generator = SchemaGenerator::default();
            let mut schema = Values::<T>::json_schema(&mut generator);
            schema.insert("$defs".to_owned(), Value::Object(generator.take_definitions(true)));
            let schema = jsonschema::validator_for(schema.as_value()).unwrap();
            for value in values {
                assert_eq!(schema.is_valid(value), read::<T>(value.clone()).is_ok(), "{value}");
            }
        }
        let long = "x".repeat(NAME_CHARS_MAX + 1);
        check::<Phrase>(&[json!(""), json!(" \n"), json!("a"), json!("é b"), json!(long), json!([" "])]);
        check::<TwoLetters>(&[json!("us"), json!("DE"), json!("d"), json!("d1"), json!(["de", "deu"])]);
        check::<Industry>(&[json!("Computer Software"), json!("computer software"), json!(["Law Practice"])]);
        check::<SizeBand>(&[json!("11-50"), json!("11"), json!([]), json!(["1-10", "10001+"])]);
        check::<FundingStage>(&[json!("series_a"), json!("series A")]);
        check::<Department>(&[json!("sales"), json!("Sales"), json!({})]);
        check::<DomainText>(&[json!("acme.example"), json!("x".repeat(DOMAIN_CHARS_MAX + 1))]);
    }
}
