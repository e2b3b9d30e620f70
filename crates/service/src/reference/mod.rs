//! The reference, written from the catalog and the fault table: Markdown to read and to commit, pages about errors, and
//! the same for programs that read. A transport only has to serve it.

mod calls;
mod endpoint_page;
mod error_pages;
mod html;
mod lessons;
mod lists;
mod llms;
mod words;

pub use calls::Calls;
pub use error_pages::problem_document;
pub use html::{ICON_PATH, STYLE_PATH, home};
pub use lessons::{Lesson, of as lesson};

use crate::catalog::CATALOG;
use crate::fault::FAULTS;
use crate::openapi;
use serde_json::Value;

/// A Markdown file of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// `enrich.md`
    pub name: String,
    pub text: String,
}

/// Something to be answered at a path.
#[derive(Debug, Clone)]
pub struct Page {
    pub path: String,
    pub content_type: &'static str,
    pub text: String,
}

/// The pages beside those of the endpoints.
const LISTS: [&str; 3] = ["index", "prices", "errors"];

const HTML: &str = "text/html; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json; charset=utf-8";

/// The Markdown of `docs/reference`.
pub fn files() -> Vec<File> {
    write_files(&openapi::document())
}

fn write_files(document: &Value) -> Vec<File> {
    let lists = LISTS.into_iter().zip([lists::index(), lists::prices(), error_pages::markdown()]);
    let lists = lists.map(|(name, text)| File { name: format!("{name}.md"), text });
    let endpoints = CATALOG.iter().map(|entry| File {
        name: format!("{}.md", entry.spec.name),
        text: endpoint_page::write(entry, document),
    });
    lists.chain(endpoints).collect()
}

/// Where the pages are, without the work of writing them.
pub fn paths() -> Vec<String> {
    let fixed = ["/openapi.json", "/docs/errors", "/llms.txt", "/llms-full.txt"].map(str::to_owned);
    let errors = FAULTS.iter().map(|row| format!("/docs/errors/{}", row.name));
    let names = LISTS.iter().copied().chain(CATALOG.iter().map(|entry| entry.spec.name));
    let files = names.map(|name| format!("/docs/reference/{name}.md"));
    fixed.into_iter().chain(errors).chain(files).collect()
}

/// Everything that is served as it is written here.
pub fn pages() -> Vec<Page> {
    let document = openapi::document();
    let files = write_files(&document);
    let page = |path: &str, content_type, text| Page { path: path.to_owned(), content_type, text };
    let mut pages = vec![
        page("/openapi.json", JSON, document.to_string()),
        page("/docs/errors", HTML, html::error_list()),
        page("/llms.txt", PLAIN, llms::short()),
        page("/llms-full.txt", PLAIN, llms::full(&files)),
    ];
    pages.extend(FAULTS.iter().map(|row| {
        let path = format!("/docs/errors/{}", row.name);
        Page { path, content_type: HTML, text: html::error_page(row) }
    }));
    pages.extend(files.into_iter().map(|file| {
        let path = format!("/docs/reference/{}", file.name);
        Page { path, content_type: MARKDOWN, text: file.text }
    }));
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_and_every_fault_has_its_page() {
        let pages = pages();
        assert_eq!(paths(), pages.iter().map(|page| page.path.clone()).collect::<Vec<_>>());
        let has = |path: String| pages.iter().filter(|page| page.path == path).count() == 1;
        for entry in CATALOG {
            assert!(has(format!("/docs/reference/{}.md", entry.spec.name)), "{}", entry.spec.name);
        }
        for row in FAULTS {
            assert!(has(format!("/docs/errors/{}", row.name)), "{}", row.name);
        }
    }

    #[test]
    fn an_endpoints_page_names_its_price_its_fields_and_its_twin() {
        let files = files();
        let enrich = &files.iter().find(|file| file.name == "enrich.md").unwrap().text;
        for part in [
            "`POST /v1/enrich`",
            "1 credit when the person is found",
            "| `email` | string",
            "| at most 254 characters |",
            "| `max_credits` | number |",
            "\"$ASSAY_URL/v1/sandbox/enrich\"",
            "\"fullName\": \"Ada Okafor\"",
            "[`validation_failed`](errors.md#validation_failed)",
        ] {
            assert!(enrich.contains(part), "{part} is not in\n{enrich}");
        }
        let me = &files.iter().find(|file| file.name == "me.md").unwrap().text;
        assert!(!me.contains("insufficient_credits") && !me.contains("idempotency_key_reused"), "{me}");
    }
}
