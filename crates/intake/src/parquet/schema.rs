//! Names for the columns of a Parquet file, whose lists have layers of their own.

use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::schema::types::Type;

use super::broken;
use crate::error::Error;
use crate::header::name_columns;
use crate::limits::{COLUMNS_MAX, SCHEMA_DEPTH_MAX};

/// The names of the leaves in their order: those of the groups around them with dots between, what only makes a list
/// left out. `skills.list.element` is `skills`, as in a file of JSON lines.
pub(super) fn name_leaves(root: &Type) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for field in root.get_fields() {
        walk(field, "", 0, &mut names)?;
    }
    name_columns(names.iter().map(String::as_str))
}

fn walk(field: &Type, around: &str, depth: usize, names: &mut Vec<String>) -> Result<(), Error> {
    if depth > SCHEMA_DEPTH_MAX {
        return Err(broken("its columns are nested too deeply"));
    }
    let name = if around.is_empty() { field.name().to_owned() } else { format!("{around}.{}", field.name()) };
    walk_inside(field, name, depth, names)
}

fn walk_inside(field: &Type, name: String, depth: usize, names: &mut Vec<String>) -> Result<(), Error> {
    if field.is_primitive() {
        names.push(name);
        return if names.len() > COLUMNS_MAX { Err(Error::TooManyColumns(COLUMNS_MAX)) } else { Ok(()) };
    }
    match (is_list(field), field.get_fields()) {
        (true, [repeated]) if is_repeated(repeated) => match elements(repeated) {
            // The layer around the element, then the element itself.
            Some(element) => walk_inside(element, name, depth + 1, names),
            None => walk_inside(repeated, name, depth + 1, names),
        },
        (_, fields) => fields.iter().try_for_each(|field| walk(field, &name, depth + 1, names)),
    }
}

/// The one field of the layer that a list of today has around its elements. In older files the repeated field is the
/// element: it is no group, or one with several fields, or it is named so.
fn elements(repeated: &Type) -> Option<&Type> {
    let is_older = repeated.name() == "array" || repeated.name().ends_with("_tuple");
    match repeated {
        Type::GroupType { fields, .. } if !is_older => match fields.as_slice() {
            [element] => Some(element.as_ref()),
            _ => None,
        },
        _ => None,
    }
}

fn is_list(field: &Type) -> bool {
    let info = field.get_basic_info();
    let by_name = matches!(
        info.converted_type(),
        ConvertedType::LIST | ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE
    );
    by_name || matches!(info.logical_type_ref(), Some(LogicalType::List | LogicalType::Map))
}

fn is_repeated(field: &Type) -> bool {
    let info = field.get_basic_info();
    info.has_repetition() && info.repetition() == Repetition::REPEATED
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::schema::parser::parse_message_type;

    fn names(schema: &str) -> Vec<String> {
        name_leaves(&parse_message_type(schema).unwrap()).unwrap()
    }

    #[test]
    fn lists_and_groups_are_named_as_in_json() {
        let schema = "message schema {
            required binary name (UTF8);
            optional group company { optional binary domain (UTF8); optional group place { optional binary city; } }
            optional group skills (LIST) { repeated group list { optional binary element (UTF8); } }
            optional group tags (LIST) { repeated binary array (UTF8); }
            optional group jobs (LIST) { repeated group bag { optional group array_element {
                optional binary title (UTF8); optional binary company (UTF8); } } }
            optional group schools (LIST) { repeated group array { optional binary name (UTF8); } }
            repeated binary emails (UTF8);
            optional group extra (MAP) { repeated group key_value { required binary key; optional binary value; } }
        }";
        assert_eq!(
            names(schema),
            [
                "name",
                "company.domain",
                "company.place.city",
                "skills",
                "tags",
                "jobs.title",
                "jobs.company",
                "schools.name",
                "emails",
                "extra.key",
                "extra.value"
            ]
        );
    }

    #[test]
    fn two_columns_of_one_name_are_told_apart() {
        assert_eq!(names("message s { optional binary a; optional binary a; }"), ["a", "a (2)"]);
    }
}
