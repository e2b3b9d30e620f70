//! The pages for browsers: the frame around the interactive reference, and the pages about errors, which need no script.

use super::error_pages::{INTRODUCTION, problem_document};
use super::lessons::{self, Lesson};
use super::words;
use crate::fault::{FAULTS, Fault, FaultRow};
use serde_json::json;

pub const STYLE_PATH: &str = "/docs/assets/reference.css";
pub const ICON_PATH: &str = "/docs/assets/icon.svg";

const LINKS: [(&str, &str); 5] = [
    ("/docs", "Reference"),
    ("/docs/errors", "Errors"),
    ("/docs/reference/prices.md", "Prices"),
    ("/docs/reference/index.md", "Markdown"),
    ("/openapi.json", "OpenAPI"),
];

/// The page that the script at this path turns into the interactive reference. Nothing on it, and nothing the script is
/// told to do, asks another host for anything.
pub fn home(script: &str) -> String {
    let configuration = json!({
        "url": "/openapi.json",
        "theme": "default",
        "withDefaultFonts": false,
        "telemetry": false,
        "proxyUrl": "",
        "agent": { "disabled": true },
        "mcp": { "disabled": true },
        "showDeveloperTools": "never",
        "hideClientButton": true,
        "persistAuth": false,
        "defaultOpenAllTags": true,
        "documentDownloadType": "json",
        "metaData": { "title": "Assay reference" }
    });
    let body = format!(
        "<noscript><main class=\"page\"><h1>Assay reference</h1><p>The interactive reference needs JavaScript. The same is in plain text \
         at <a href=\"/docs/reference/index.md\">/docs/reference/index.md</a>.</p></main></noscript>\n\
         <div id=\"api-reference\" data-configuration=\"{}\"></div>\n<script src=\"{}\"></script>",
        escape(&configuration.to_string()),
        escape(script)
    );
    frame("Assay reference", "/docs", &body)
}

pub fn error_list() -> String {
    let rows: String = FAULTS
        .iter()
        .map(|row| {
            format!(
                "<tr><td><a href=\"/docs/errors/{0}\"><code>{0}</code></a></td><td>{1}</td><td>{2}</td><td>{3}</td></tr>\n",
                row.name,
                row.status,
                words::yes_no(row.retryable),
                escape(row.title)
            )
        })
        .collect();
    let body = format!(
        "<main class=\"page\">\n<h1>Errors</h1>\n<p>{}</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All codes\">\n\
         <table>\n<thead><tr><th scope=\"col\">Code</th><th scope=\"col\">Status</th><th scope=\"col\">Worth a retry</th>\
         <th scope=\"col\">When</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n</main>",
        with_code(INTRODUCTION)
    );
    frame("Errors of the Assay API", "/docs/errors", &body)
}

pub fn error_page(row: &FaultRow) -> String {
    let FaultRow { name, status, title, fix, .. } = row;
    let facts = format!(
        "<p class=\"crumbs\"><a href=\"/docs/errors\">All errors</a></p>\n<h1><code>{name}</code></h1>\n\
         <p class=\"lead\">{}.</p>\n<dl>\n<dt>Status</dt><dd>{status}</dd>\n<dt>Worth a retry</dt><dd>{}</dd>\n\
         <dt>To mend it</dt><dd>{}.</dd>\n</dl>",
        escape(&sentence(title)),
        words::yes_no(row.retryable),
        escape(&sentence(fix))
    );
    let rest = lessons::of(row.code).map(lesson).unwrap_or_default();
    frame(&format!("{name} – Assay errors"), "", &format!("<main class=\"page\">\n{facts}\n{rest}\n</main>"))
}

fn lesson(lesson: &Lesson) -> String {
    let given =
        if lesson.given.is_empty() { String::new() } else { format!("<p>{}</p>\n", with_code(lesson.given)) };
    let fault = (lesson.fault)();
    format!(
        "<h2>What it means</h2>\n<p>{}</p>\n<h2>A call that fails</h2>\n{given}{}\n<p>It is answered</p>\n{}\n\
         <h2>The call mended</h2>\n<p>{}</p>\n{}\n<p class=\"note\">The calls take the server's address and a key from the \
         environment: <code>export ASSAY_URL=http://localhost:8080 ASSAY_KEY=assay_live_…</code></p>",
        with_code(lesson.meaning),
        listing("call", "The failing call", &lesson.failing.shell()),
        listing("", "The answer", &answer(&fault)),
        with_code(lesson.mended),
        listing("call", "The mended call", &lesson.corrected.shell()),
    )
}

/// The head and the body of an answer, as far as they matter.
fn answer(fault: &Fault) -> String {
    let wait =
        fault.retry_after_seconds.map(|seconds| format!("\nRetry-After: {seconds}")).unwrap_or_default();
    let status = fault.code.status();
    format!("HTTP/1.1 {status}\nContent-Type: application/problem+json{wait}\n\n{}", problem_document(fault))
}

/// A block that can be reached and scrolled by keyboard.
fn listing(class: &str, label: &str, text: &str) -> String {
    format!(
        "<pre class=\"{class}\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><code>{}</code></pre>",
        escape(text)
    )
}

fn frame(title: &str, here: &str, body: &str) -> String {
    let links: Vec<String> = LINKS
        .iter()
        .map(|(path, name)| {
            let current = if *path == here { " aria-current=\"page\"" } else { "" };
            format!("<a href=\"{path}\"{current}>{name}</a>")
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"{ICON_PATH}\">\n\
         <link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n</head>\n<body>\n\
         <header class=\"top\"><a class=\"name\" href=\"/docs\">Assay</a><nav aria-label=\"Reference\">{}</nav></header>\n\
         {body}\n</body>\n</html>\n",
        escape(title),
        links.join("")
    )
}

/// The table's texts begin in lower case and have no full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Text between backticks becomes code.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let write = |(index, part): (usize, &str)| {
        if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) }
    };
    parts.map(write).collect()
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_cannot_become_markup() {
        assert_eq!(escape("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
        assert_eq!(with_code("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        let page = error_page(FAULTS[2].code.row());
        assert!(page.contains("Bearer &lt;your key&gt;"), "{page}");
    }

    #[test]
    fn no_page_names_another_host_or_carries_a_script_of_its_own() {
        let mut pages = vec![home("/docs/assets/x.js"), error_list()];
        pages.extend(FAULTS.iter().map(error_page));
        for page in pages {
            for attribute in ["src=\"", "href=\""] {
                for part in page.split(attribute).skip(1) {
                    assert!(part.starts_with('/') && !part.starts_with("//"), "{part}");
                }
            }
            assert!(!page.contains("<script>") && !page.contains("style=") && !page.contains(" onclick"));
        }
    }
}
