//! The annotated example file, written from the table of keys.

use super::key::{Key, Kind};
use super::keys::keys;
use std::fmt::Write;

const HEAD: &str = "\
# Settings of Assay. Copy this file to assay.toml and change what you need: every value below is the default.
#
# Each key has a twin in the environment, which wins over the file: ASSAY_<SECTION>_<KEY>.
# Keys that are not known are refused. `assay config show` tells each value and where it comes from.
";

/// The whole file.
pub fn example() -> String {
    let mut text = HEAD.to_owned();
    let mut section = "";
    for key in keys() {
        if key.section != section {
            section = key.section;
            text.push_str(&format!("\n[{section}]\n"));
        }
        for line in key.doc {
            text.push_str(&format!("# {line}\n"));
        }
        text.push_str(&format!("# Environment: {}\n# {}\n", key.variable(), assignment(key)));
    }
    text
}

/// A key with its default, as a line of the file.
pub fn assignment(key: &Key) -> String {
    let default = (key.default)();
    let mut line = format!("{} = ", key.name);
    let written = match key.kind {
        Kind::Number | Kind::Switch => line.write_str(&default),
        Kind::List => {
            let items: Vec<String> = default
                .split(',')
                .filter(|item| !item.is_empty())
                .map(|item| format!("\"{item}\""))
                .collect();
            write!(line, "[{}]", items.join(", "))
        }
        Kind::Secret => line.write_str("\"file:/run/secrets/assay_master_key\""),
        Kind::Text | Kind::Url => write!(line, "\"{default}\""),
    };
    debug_assert!(written.is_ok(), "writing to a text cannot fail");
    line
}
