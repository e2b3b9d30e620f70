//! The papers every reader looks for are there, and the first one stays short.

use std::path::Path;

use super::Violation;

const README_LINES_MAX: usize = 150;
const REQUIRED: &[&str] = &["CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NOTICE", "LICENSE"];

pub(super) fn check(root: &Path) -> Vec<Violation> {
    let missing = REQUIRED.iter().filter(|name| !root.join(name).is_file());
    let mut found = missing.map(|name| Violation::new(name, 1, "missing: write it")).collect::<Vec<_>>();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap_or_default();
    found.extend(too_long(&readme));
    found
}

fn too_long(readme: &str) -> Option<Violation> {
    let lines = readme.lines().count();
    let what = format!("{lines} lines, at most {README_LINES_MAX}: move the detail to docs/");
    (lines > README_LINES_MAX).then(|| Violation::new("README.md", README_LINES_MAX + 1, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_papers_are_found() {
        let found = check(Path::new("/nowhere"));
        assert_eq!(found.len(), REQUIRED.len());
    }

    #[test]
    fn a_long_readme_is_found() {
        assert!(too_long(&"x\n".repeat(151)).is_some());
        assert!(too_long(&"x\n".repeat(150)).is_none());
    }
}
