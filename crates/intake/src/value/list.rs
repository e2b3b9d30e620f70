//! Several values in one cell.

use serde_json::Value;

/// Tells the values of a cell of a list. A cell that is a JSON list says what its values are; in any other one stands between
/// them a semicolon, a bar or a line break, and only if there is none of these a comma.
pub(crate) fn split_list(cell: &str, mut tell: impl FnMut(&str)) {
    let is_strong = |c: char| matches!(c, ';' | '|' | '\n' | '\r');
    // Nearly every list has one value.
    if !cell.bytes().any(|byte| matches!(byte, b',' | b';' | b'|' | b'\n' | b'\r' | b'[')) {
        return tell(cell);
    }
    match read_json_list(cell) {
        Some(values) => values.iter().for_each(|value| tell(value)),
        None if cell.contains(is_strong) => cell.split(is_strong).for_each(tell),
        None => cell.split(',').for_each(tell),
    }
}

fn read_json_list(cell: &str) -> Option<Vec<String>> {
    let trimmed = cell.trim();
    if !(trimmed.starts_with('[') && trimmed.ends_with(']')) {
        return None;
    }
    let values: Vec<Value> = serde_json::from_str(trimmed).ok()?;
    let texts = values.into_iter().filter_map(|value| match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    Some(texts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_cut_at_its_strongest_separator() {
        for (cell, values) in [
            ("a", vec!["a"]),
            ("a,b", vec!["a", "b"]),
            ("a, b; c", vec!["a, b", " c"]),
            ("a|b", vec!["a", "b"]),
            ("a\nb, c", vec!["a", "b, c"]),
            (r#" ["a, b", "c", 1, null] "#, vec!["a, b", "c", "1"]),
            ("[a]", vec!["[a]"]),
            ("", vec![""]),
        ] {
            let mut found = Vec::new();
            split_list(cell, |value| found.push(value.to_owned()));
            assert_eq!(found, values, "{cell}");
        }
    }
}
