//! The bar `reference`: a browser shows every operation and asks nobody but the server, and no link of ours leads nowhere.

use crate::bar::{Complaints, Verdict, progress};
use crate::rig::{Folder, Rig, RigOptions, Server, run_command};
use anyhow::{Context, bail};
use assay_service::CATALOG;
use assay_service::fault::FAULTS;
use assay_testkit::{Deadline, PostgresOptions};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Debian's build of the browser without a window. The whole browser also asks its maker for things; this one does not.
const BROWSER: &str = "chromium-headless-shell";
const PEOPLE: u64 = 10;
const VISIT_WAIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(20);
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// A page that asks another host for a picture: a browser that is not caught at it proves nothing.
const CONTROL: &str = "data:text/html,<img src='http://foreign.invalid/picture.png'>";
const STARTS: &[&str] =
    &["/", "/docs", "/docs/errors", "/docs/reference/index.md", "/llms.txt", "/llms-full.txt"];

/// What a browser made of an address.
struct Visit {
    dom: String,
    /// Every address it asked for, or tried to.
    asked: Vec<String>,
    /// What the page's own policy forbade it.
    forbidden: Vec<String>,
}

pub async fn run(_short: bool) -> anyhow::Result<Verdict> {
    install_browser()?;
    let postgres = PostgresOptions::default();
    let options =
        RigOptions { failpoints: false, accounts: 0, people: PEOPLE, postgres, one_database: false };
    let rig = Rig::start(options)?;
    let server = rig.serve(&[])?;
    let mut complaints = Complaints::default();
    let own = format!("http://{}/", server.address);
    let control = visit(CONTROL)?;
    if foreign(&control, &own).is_empty() {
        bail!("the browser asked another host and its log does not tell: {:?}", control.asked);
    }
    let mut strangers = 0;
    let mut shown = 0;
    let error_page = format!("docs/errors/{}", FAULTS.first().context("no faults")?.name);
    for page in ["docs", "docs/errors", &error_page] {
        progress(format!("looking at /{page}"));
        let visit = visit(&format!("{own}{page}"))?;
        if !visit.asked.iter().any(|address| *address == format!("{own}{page}")) {
            bail!("the browser's log does not tell of /{page}: {:?}", visit.asked);
        }
        for address in foreign(&visit, &own) {
            strangers += 1;
            complaints.add(format!("/{page} asked {address}"));
        }
        for message in &visit.forbidden {
            complaints.add(format!("/{page} tried what its policy forbids: {message}"));
        }
        if page == "docs" {
            shown = operations_shown(&visit.dom, &mut complaints);
        } else if visit.dom.contains("<script") || !visit.dom.contains("</h1>") {
            complaints.add(format!("/{page} does not stand without a script"));
        }
    }
    let (pages, broken) = follow_links(&server, &mut complaints)?;
    server.stop()?;
    let figure = format!(
        "reference: {strangers} foreign requests, {shown} operations shown, {pages} pages, {broken} broken links"
    );
    Ok(Verdict { figure, passed: complaints.is_empty() && shown > 0 && pages > FAULTS.len() })
}

fn install_browser() -> anyhow::Result<()> {
    let is_there =
        || Command::new(BROWSER).arg("--version").output().is_ok_and(|output| output.status.success());
    if is_there() {
        return Ok(());
    }
    progress(format!("installing {BROWSER}"));
    run_command("apt-get", &["update", "-qq"])?;
    run_command("apt-get", &["install", "-y", "-qq", "--no-install-recommends", BROWSER])?;
    if is_there() { Ok(()) } else { bail!("{BROWSER} cannot be started") }
}

/// Opens an address, lets its scripts finish, and gives what is then on the page. Nothing leaves the machine: other hosts
/// have no address for this browser, but what it tries to ask them is logged.
fn visit(address: &str) -> anyhow::Result<Visit> {
    let folder = Folder::make("browser")?;
    let place = |name: &str| folder.path.join(name);
    let (dom, log, net) = (place("dom.html"), place("log"), place("net.json"));
    let mut browser = Command::new(BROWSER)
        .args(["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-proxy-server"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000", "--window-size=1300,1000"])
        .arg("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
        .arg(format!("--user-data-dir={}", place("profile").display()))
        .arg(format!("--log-net-log={}", net.display()))
        .args(["--dump-dom", address])
        .stdin(Stdio::null())
        .stdout(File::create(&dom)?)
        .stderr(File::create(&log)?)
        .spawn()
        .context("cannot start the browser")?;
    let deadline = Deadline::after(VISIT_WAIT);
    let status = loop {
        if let Some(status) = browser.try_wait()? {
            break status;
        }
        if deadline.passed() {
            browser.kill()?;
            browser.wait()?;
            bail!("{address} was not shown within {VISIT_WAIT:?}");
        }
        std::thread::sleep(POLL);
    };
    let log = std::fs::read_to_string(&log)?;
    if !status.success() {
        bail!("the browser failed on {address}: {log}");
    }
    let forbidden = log.lines().filter(|line| line.contains("Content Security Policy")).map(str::to_owned);
    Ok(Visit { dom: std::fs::read_to_string(&dom)?, asked: asked(&net)?, forbidden: forbidden.collect() })
}

/// The addresses in the browser's own network log, names it wanted resolved included.
fn asked(log: &Path) -> anyhow::Result<Vec<String>> {
    let log: Value = serde_json::from_slice(&std::fs::read(log)?).context("the network log is no JSON")?;
    let number =
        |name: &str| log["constants"]["logEventTypes"][name].as_i64().context("the log has other events");
    let (request, name) = (number("URL_REQUEST_START_JOB")?, number("HOST_RESOLVER_MANAGER_REQUEST")?);
    let events = log["events"].as_array().context("the log has no events")?;
    let told = events.iter().filter_map(|event| {
        let kind = event["type"].as_i64()?;
        let field = if kind == request { "url" } else { "host" };
        (kind == request || kind == name).then(|| event["params"][field].as_str()).flatten()
    });
    // Data addresses ask nobody.
    Ok(told.filter(|address| !address.starts_with("data:")).map(str::to_owned).collect())
}

fn foreign<'a>(visit: &'a Visit, own: &str) -> Vec<&'a str> {
    let host = own.trim_end_matches('/');
    let is_own = |address: &str| address == host || address.starts_with(own);
    visit.asked.iter().map(String::as_str).filter(|address| !is_own(address)).collect()
}

/// Every row has its link in the list of operations, under its summary.
fn operations_shown(dom: &str, complaints: &mut Complaints) -> usize {
    let mut shown = 0;
    for spec in CATALOG.iter().map(|entry| &entry.spec) {
        let link = format!("#tag/{}/{}{}\"", spec.group.as_str(), spec.verb.as_str(), spec.path);
        let summary = format!(">{}<", escape(spec.summary));
        let entry = dom.split_once(&link).map(|(_, rest)| rest);
        let entry = entry.and_then(|rest| rest.split_once("href=")).map_or("", |(entry, _)| entry);
        if entry.contains(&summary) {
            shown += 1;
        } else {
            complaints.add(format!("{} {} is not shown as {}", spec.verb.as_str(), spec.path, spec.summary));
        }
    }
    shown
}

/// As a browser writes text into markup.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Follows every link from page to page. Gives how many pages there are, and how many links lead nowhere.
fn follow_links(server: &Server, complaints: &mut Complaints) -> anyhow::Result<(usize, usize)> {
    let mut waiting: Vec<(String, String)> =
        STARTS.iter().map(|path| ((*path).to_owned(), "the start".to_owned())).collect();
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut broken = BTreeSet::new();
    while let Some((link, from)) = waiting.pop() {
        let (path, place) = link.split_once('#').unwrap_or((&link, ""));
        if !texts.contains_key(path) {
            let text = get(server.address, path)?;
            if let Some(text) = &text {
                waiting.extend(links(path, text).into_iter().map(|link| (link, path.to_owned())));
            }
            texts.insert(path.to_owned(), text);
        }
        let text = texts.get(path).and_then(Option::as_ref);
        let is_there = text.is_some_and(|text| place.is_empty() || text.contains(&format!("\n## {place}\n")));
        if !is_there && broken.insert(link.clone()) {
            complaints.add(format!("{from} leads to {link}, which is not there"));
        }
    }
    Ok((texts.values().flatten().count(), broken.len()))
}

/// The targets of a page's links, as paths of the server.
fn links(page: &str, text: &str) -> Vec<String> {
    let marks: &[(&str, char)] = if page.ends_with(".md") || page.ends_with(".txt") {
        &[("](", ')')]
    } else {
        &[("href=\"", '"'), ("src=\"", '"')]
    };
    // A script is no page: what looks like a link in it is code.
    if page.ends_with(".js") || page.ends_with(".json") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (mark, end) in marks {
        let targets = text.split(mark).skip(1).filter_map(|rest| rest.split(*end).next());
        found.extend(targets.map(|target| absolute(page, target)));
    }
    found
}

fn absolute(page: &str, target: &str) -> String {
    if target.starts_with('/') || target.contains("://") {
        return target.to_owned();
    }
    if target.starts_with('#') {
        return format!("{page}{target}");
    }
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/{target}")
}

/// The text at a path of the server, behind at most one redirect; nothing unless it answers 200.
fn get(server: SocketAddr, path: &str) -> anyhow::Result<Option<String>> {
    let (status, head, text) = exchange(server, path)?;
    if status != 302 {
        return Ok((status == 200).then_some(text));
    }
    let location =
        head.lines().find_map(|line| line.strip_prefix("location: ")).context("a redirect to nowhere")?;
    let (status, _, text) = exchange(server, location)?;
    Ok((status == 200).then_some(text))
}

fn exchange(server: SocketAddr, path: &str) -> anyhow::Result<(u16, String, String)> {
    if !path.starts_with('/') {
        return Ok((0, String::new(), String::new()));
    }
    let mut stream = TcpStream::connect(server)?;
    stream.set_read_timeout(Some(ANSWER_WAIT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, text) = answer.split_once("\r\n\r\n").context("half an answer")?;
    let status = head.split(' ').nth(1).context("an answer without a status")?.parse()?;
    Ok((status, head.to_lowercase(), text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_paths_of_the_server() {
        let found = links("/docs/reference/index.md", "[a](enrich.md) [b](#x) [c](/docs) [d](http://e/f)");
        let paths = ["/docs/reference/enrich.md", "/docs/reference/index.md#x", "/docs", "http://e/f"];
        assert_eq!(found, paths);
        assert_eq!(links("/docs", "<a href=\"/x\"><script src=\"/y.js\">"), ["/x", "/y.js"]);
    }

    #[test]
    fn only_the_server_itself_is_no_stranger() {
        let own = "http://127.0.0.1:80/";
        let asked = ["http://127.0.0.1:80", "http://127.0.0.1:80/a", "http://127.0.0.1:8080/a", "https://x/"];
        let visit =
            Visit { dom: String::new(), asked: asked.map(str::to_owned).to_vec(), forbidden: Vec::new() };
        assert_eq!(foreign(&visit, own), ["http://127.0.0.1:8080/a", "https://x/"]);
    }
}
