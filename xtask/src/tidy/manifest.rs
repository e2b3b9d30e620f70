//! Reads the dependency names of a Cargo.toml, with their lines; all that the rules about floors need.

/// One dependency of a crate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) dev: bool,
}

pub(crate) fn parse(text: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    // Inside a dependency section: whether it is for tests only.
    let mut section = None;
    let mut open = 0_usize;
    for (index, raw) in text.lines().enumerate() {
        let line = raw.split('#').next().unwrap_or_default().trim();
        let inside_a_list = open > 0;
        open = (open + line.matches(['[', '{']).count()).saturating_sub(line.matches([']', '}']).count());
        if inside_a_list || line.is_empty() {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            let (kind, name) = split_header(header);
            section = kind;
            if let (Some(dev), Some(name)) = (kind, name) {
                found.push(Dependency { name, line: index + 1, dev });
                // The lines below describe this one dependency.
                section = None;
            }
        } else if let (Some(dev), Some((key, value))) = (section, line.split_once('=')) {
            let key = key.trim().trim_end_matches(".workspace").trim_matches('"');
            let name = renamed(value).unwrap_or(key).to_owned();
            found.push(Dependency { name, line: index + 1, dev });
        }
    }
    found
}

/// `target.'cfg(unix)'.dev-dependencies.foo` is a section for tests that names `foo`.
fn split_header(header: &str) -> (Option<bool>, Option<String>) {
    for (word, dev) in [("dev-dependencies", true), ("build-dependencies", false), ("dependencies", false)] {
        let Some(at) = header.rfind(word) else { continue };
        let starts = at == 0 || header.get(..at).is_some_and(|before| before.ends_with('.'));
        let rest = header.get(at + word.len()..).unwrap_or_default();
        if starts && (rest.is_empty() || rest.starts_with('.')) {
            return (Some(dev), rest.strip_prefix('.').map(str::to_owned));
        }
    }
    (None, None)
}

fn renamed(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("package")?;
    rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_dependency_is_read() {
        let text = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true # why\nb = { version = \"1\", features = [\n  \"q\",\n] }\n\
                    c = { package = \"real\", version = \"1\" }\n[dev-dependencies]\nd = \"1\"\n[dependencies.e]\nversion = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\nf = \"1\"\n[features]\ng = [\"a/b\"]\n";
        let names = parse(text).into_iter().map(|it| (it.name, it.line, it.dev)).collect::<Vec<_>>();
        let expected = [
            ("a", 4, false),
            ("b", 5, false),
            ("real", 8, false),
            ("d", 10, true),
            ("e", 11, false),
            ("f", 14, false),
        ];
        assert_eq!(names, expected.map(|(name, line, dev)| (name.to_owned(), line, dev)));
    }
}
