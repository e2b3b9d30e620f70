//! `/llms.txt`: the reference for programs that read, in the form of llmstxt.org; and all of it in one file.

use super::{File, lists, words};
use crate::catalog::CATALOG;

const SUMMARY: &str = "Assay is a self-hosted service that finds people and companies by one identifier, and bills by \
    outcome: nothing found, nothing charged. JSON over HTTP.";

pub fn short() -> String {
    let mut text = format!(
        "# Assay\n\n> {SUMMARY}\n\n{}\n\nEvery endpoint has a twin under `/v1/sandbox/` that needs no key, costs nothing and \
         answers with invented data. A call that fails is answered with a problem document whose `code`, `retryable`, \
         `errors` and `fix` say what to do.\n\n## Reference\n\n\
         - [All endpoints](/docs/reference/index.md): method, path, price, scope and plan of each, and the rules of every call\n\
         - [Prices](/docs/reference/prices.md): what one unit is and the most a call can charge\n\
         - [Errors](/docs/reference/errors.md): every code with a call that fails and one that works\n\
         - [OpenAPI 3.1](/openapi.json): the whole contract for machines\n\n## Endpoints\n\n",
        lists::AUTHENTICATION
    );
    for spec in CATALOG.iter().map(|entry| &entry.spec) {
        text.push_str(&format!(
            "- [{} {}](/docs/reference/{}.md): {} ({})\n",
            spec.verb.as_str(),
            spec.path,
            spec.name,
            spec.summary,
            words::price_short(spec)
        ));
    }
    text.push_str(
        "\n## Optional\n\n- [Everything in one file](/llms-full.txt)\n- [The reference as a page](/docs)\n",
    );
    text
}

/// The pages one after the other, with links that hold from where the file lies.
pub fn full(files: &[File]) -> String {
    let pages: Vec<&str> = files.iter().map(|file| file.text.trim_end()).collect();
    let mut text = format!("# Assay\n\n> {SUMMARY}\n\n{}\n", pages.join("\n\n"));
    for File { name, .. } in files {
        text = text.replace(&format!("]({name}"), &format!("](/docs/reference/{name}"));
    }
    text
}
