//! The texts of a declaration that are filled in with what is known of a subject.

use crate::Subject;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::io;

/// What a template can name.
pub(super) const FIELDS: &[&str] = &[
    "first_name",
    "last_name",
    "full_name",
    "domain",
    "company_name",
    "network_url",
    "email",
    "phone",
    "country",
];

/// RFC 3986: everything but the unreserved characters is encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

const TEMPLATE_BYTES_MAX: usize = 2_048;
const RENDERED_BYTES_MAX: usize = 8_192;
/// Instructions of one template.
const FUEL: u64 = 5_000;

/// A compiled template. It holds an environment of its own, since how values are written differs.
pub(super) struct Template(Box<Environment<'static>>);

const NAME: &str = "template";

impl Template {
    /// The values go into it as they are.
    pub(super) fn compile(text: &str) -> Result<Self, String> {
        Self::compile_in(Environment::new(), text)
    }

    /// The values are encoded for a path, so that none can lead out of its segment.
    pub(super) fn compile_path(text: &str) -> Result<Self, String> {
        let mut environment = Environment::new();
        environment.set_formatter(|out, state, value| {
            if value.is_undefined() {
                return minijinja::escape_formatter(out, state, value);
            }
            let encoded = utf8_percent_encode(&value.to_string(), ENCODED).to_string();
            out.write_str(&encoded).map_err(minijinja::Error::from)
        });
        Self::compile_in(environment, text)
    }

    fn compile_in(mut environment: Environment<'static>, text: &str) -> Result<Self, String> {
        if text.len() > TEMPLATE_BYTES_MAX {
            return Err(format!("is longer than {TEMPLATE_BYTES_MAX} bytes"));
        }
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_fuel(Some(FUEL));
        // A range makes lists of any length before a step is counted.
        for function in ["range", "dict", "namespace", "debug"] {
            environment.remove_global(function);
        }
        for filter in ["indent", "batch", "slice", "tojson", "format"] {
            environment.remove_filter(filter);
        }
        let broken = |error: minijinja::Error| format!("is not a template: {error}");
        environment.add_template_owned(NAME, text.to_owned()).map_err(broken)?;
        let unknown = {
            let named = environment.get_template(NAME).map_err(broken)?.undeclared_variables(false);
            named.into_iter().find(|name| !FIELDS.contains(&name.as_str()))
        };
        match unknown {
            None => Ok(Self(Box::new(environment))),
            Some(unknown) => {
                let near = super::section::meant(&unknown, FIELDS.iter().copied());
                Err(format!("names `{unknown}`, which is nothing known of a subject{near}"))
            }
        }
    }

    /// None when it needs something that is not known.
    pub(super) fn render(&self, known: &Known) -> Option<String> {
        let mut out = Bounded(Vec::new());
        let template = self.0.get_template(NAME).ok()?;
        template.render_captured_to(known.0.clone(), &mut out).ok()?;
        String::from_utf8(out.0).ok()
    }
}

/// The fields of a subject that are known.
pub(super) struct Known(Value);

impl Known {
    pub(super) fn of(subject: &Subject) -> Self {
        let Subject { name, domain, company_name, network_url, email, phone, country } = subject;
        let fields = [
            ("first_name", name.as_ref().and_then(|name| name.first())),
            ("last_name", name.as_ref().and_then(|name| name.last())),
            ("full_name", name.as_ref().map(|name| name.full())),
            ("domain", domain.as_ref().map(|domain| domain.as_str())),
            ("company_name", company_name.as_deref()),
            ("network_url", network_url.as_ref().map(|url| url.as_str())),
            ("email", email.as_ref().map(|email| email.as_str())),
            ("phone", phone.as_ref().map(|phone| phone.as_str())),
            ("country", country.as_deref()),
        ];
        Self(Value::from_pairs(fields.into_iter().filter_map(|(field, value)| Some((field, value?)))))
    }
}

struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > RENDERED_BYTES_MAX {
            return Err(io::Error::other("too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::{Domain, PersonName};

    fn render(text: &str) -> Option<String> {
        let subject = Subject {
            name: Some(PersonName::parse("Zoë Doe").unwrap()),
            domain: Some(Domain::parse("acme.example").unwrap()),
            company_name: Some("A/B & \"C\"".to_owned()),
            ..Subject::default()
        };
        Template::compile(text).unwrap().render(&Known::of(&subject))
    }

    #[test]
    fn a_template_is_filled_in_with_what_is_known() {
        assert_eq!(render("{{ first_name }}.{{ last_name|lower }}").as_deref(), Some("Zoë.doe"));
        assert_eq!(render("{{ company_name }}").as_deref(), Some("A/B & \"C\""));
        assert_eq!(render("{% if email is defined %}{{ email }}{% endif %}").as_deref(), Some(""));
    }

    #[test]
    fn what_needs_something_unknown_cannot_be_asked() {
        assert_eq!(render("{{ email }}"), None);
        assert_eq!(render("x{{ country|upper }}"), None);
    }

    #[test]
    fn a_value_in_a_path_stays_within_its_segment() {
        let subject = Subject { company_name: Some("../a?b=ü".to_owned()), ..Subject::default() };
        let path = Template::compile_path("/v1/{{ company_name }}/x").unwrap();
        assert_eq!(path.render(&Known::of(&subject)).as_deref(), Some("/v1/..%2Fa%3Fb%3D%C3%BC/x"));
        let missing = Template::compile_path("/v1/{{ email }}").unwrap();
        assert_eq!(missing.render(&Known::of(&subject)), None);
    }

    #[test]
    fn a_wrong_name_and_a_broken_template_are_told() {
        let why = Template::compile("{{ frist_name }}").err().unwrap();
        assert!(why.contains("did you mean `first_name`?"), "{why}");
        assert!(Template::compile("{{ email ").is_err());
        assert!(Template::compile(&"x".repeat(3_000)).is_err());
    }

    #[test]
    fn a_template_ends() {
        assert_eq!(render("{{ domain * 100000 }}"), None);
        let nested = "{% for a in domain %}".repeat(12) + "x" + &"{% endfor %}".repeat(12);
        assert_eq!(render(&nested), None);
    }
}
