//! Query strings as serde sees them: texts that are read as numbers, booleans or comma-separated lists where a field asks.

use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Error as _, IntoDeserializer, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use std::str::FromStr;

/// The pairs of a query string, to be deserialised into a request.
pub fn deserializer(
    pairs: Vec<(String, String)>,
) -> MapDeserializer<'static, std::vec::IntoIter<(String, Text)>, Error> {
    let texts: Vec<(String, Text)> = pairs.into_iter().map(|(name, value)| (name, Text(value))).collect();
    MapDeserializer::new(texts.into_iter())
}

/// One value of a query string.
#[derive(Debug)]
pub struct Text(String);

impl Text {
    fn read<T: FromStr>(&self, expected: &str) -> Result<T, Error> {
        self.0.parse().map_err(|_| Error::custom(format!("invalid value, expected {expected}")))
    }
}

impl IntoDeserializer<'_, Error> for Text {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Text {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.read("true or false")?)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u16(self.read("a whole number")?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(self.read("a whole number")?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(self.read("a whole number")?)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i32(self.read("a whole number")?)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(self.read("a whole number")?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let parts: Vec<Self> = self.0.split(',').map(|part| Self(part.to_owned())).collect();
        visitor.visit_seq(SeqDeserializer::new(parts.into_iter()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        IntoDeserializer::<Error>::into_deserializer(self.0).deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple tuple_struct map struct
        identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use crate::CATALOG;
    use crate::input::RawInput;
    use crate::spec::Verb;
    use assay_domain::NetworkHosts;
    use serde_json::Value;

    #[test]
    fn every_number_that_the_document_names_can_be_sent_in_a_query() {
        let document = crate::openapi::document();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut sent = 0;
        for entry in CATALOG.iter().filter(|entry| entry.spec.verb == Verb::Get) {
            let (example, _) = (entry.example)();
            let parameters = document["paths"][entry.spec.path]["get"]["parameters"].as_array();
            for parameter in parameters.into_iter().flatten() {
                let (name, schema) = (text(&parameter["name"]), &parameter["schema"]);
                if parameter["in"] != "query"
                    || !["integer", "number"].map(Value::from).contains(&schema["type"])
                {
                    continue;
                }
                let others = example.as_object().into_iter().flatten().filter(|(other, _)| **other != name);
                let mut pairs: Vec<(String, String)> =
                    others.map(|(name, value)| (name.clone(), text(value))).collect();
                pairs.push((name.clone(), text(&schema["minimum"])));
                let rehearsed = (entry.rehearse)(RawInput::Query(pairs), &NetworkHosts::default());
                assert!(rehearsed.is_ok(), "{name} of {}", entry.spec.name);
                sent += 1;
            }
        }
        assert!(sent > 10, "{sent}");
    }
}
