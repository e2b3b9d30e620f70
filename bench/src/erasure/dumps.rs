//! Looks for erased people where no answer leads: in dumps of both databases and in the files of the indexes.

use super::cast::{Somebody, identity_key};
use super::scene::Scene;
use crate::bar::Complaints;
use crate::canaries::scan::Scanner;
use crate::rig::{BOTH, MASTER_KEY, run_command};
use crate::tool_cache::{need_program, text};
use aho_corasick::AhoCorasick;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use tantivy::Index;
use tantivy::directory::MmapDirectory;

/// So much of a table is looked through at once.
const PIECE_BYTES: usize = 4 * 1024 * 1024;

/// What docs/privacy.md says stays of whoever was erased: digests where they keep the person out, ids where something was done.
const DIGESTS_STAY: &[&str] = &["graph.suppression", "ledger.suppression_copy"];
const IDS_STAY: &[&str] = &[
    "graph.suppression",
    "graph.erasure",
    "graph.change_log",
    "graph.change_inbox",
    "ledger.history",
    "ledger.suppression_copy",
];

/// What is looked for in a dump.
pub struct Dump<'a> {
    /// Texts that may stand nowhere.
    pub scanner: &'a mut Scanner,
    /// Addresses and profiles of people of the made-up world.
    pub world: HashSet<String>,
    traces: AhoCorasick,
    kinds: Vec<bool>,
    pub traces_found: usize,
    /// Digests and ids that a table should not have.
    misplaced: BTreeMap<(String, &'static str), usize>,
    pub bytes: usize,
}

impl<'a> Dump<'a> {
    pub fn of(scanner: &'a mut Scanner, people: &[&Somebody], world: HashSet<String>) -> Result<Self> {
        let key = identity_key(MASTER_KEY)?;
        let (mut patterns, mut kinds) = (Vec::new(), Vec::new());
        for somebody in people {
            for digest in somebody.digests(&key)? {
                patterns.push(digest);
                kinds.push(false);
            }
            if !somebody.id.is_empty() {
                let uuid = somebody.uuid()?;
                patterns.push(uuid.replace('-', ""));
                patterns.push(uuid);
                kinds.extend([true, true]);
            }
        }
        let traces = AhoCorasick::new(patterns).context("the digests make no automaton")?;
        Ok(Self { scanner, world, traces, kinds, traces_found: 0, misplaced: BTreeMap::new(), bytes: 0 })
    }

    /// Both databases, table by table.
    pub fn look(&mut self, scene: &Scene) -> Result<()> {
        need_program("pg_dump", &["--version"], "postgresql-client")?;
        let file = scene.folder.path.join("dump.sql");
        run_command("pg_dump", &["--file", text(&file)?, &scene.rig.postgres.url(BOTH)])?;
        let mut reader = BufReader::with_capacity(PIECE_BYTES, File::open(&file)?);
        let (mut table, mut piece, mut line) = ("its beginning".to_owned(), Vec::new(), Vec::new());
        loop {
            line.clear();
            let is_over = reader.read_until(b'\n', &mut line)? == 0;
            let next = line.strip_prefix(b"COPY ").map(name_of);
            if is_over || next.is_some() || piece.len() > PIECE_BYTES {
                self.look_at(&table, &piece);
                piece.clear();
            }
            table = next.unwrap_or(table);
            piece.extend_from_slice(&line);
            if is_over {
                break;
            }
        }
        for ((table, what), count) in std::mem::take(&mut self.misplaced) {
            self.scanner.complaints.add(format!("{table} has {count} {what} of erased people"));
        }
        Ok(std::fs::remove_file(&file)?)
    }

    fn look_at(&mut self, table: &str, piece: &[u8]) {
        self.bytes += piece.len();
        self.scanner.look(&format!("the dump of {table}"), piece);
        for found in self.traces.find_iter(piece) {
            let is_id = self.kinds.get(found.pattern().as_usize()).copied().unwrap_or(false);
            let stays = if is_id { IDS_STAY } else { DIGESTS_STAY };
            self.traces_found += 1;
            if !stays.iter().any(|name| table.starts_with(name)) {
                let what = if is_id { "ids" } else { "digests" };
                *self.misplaced.entry((table.to_owned(), what)).or_default() += 1;
            }
        }
        let of_world = words(piece).filter(|word| self.world.contains(*word)).count();
        if of_world > 0 {
            self.scanner.complaints.add(format!("{table}: {of_world} times an erased person of the world"));
        }
    }
}

/// What can be an address or the name of a profile.
fn words(piece: &[u8]) -> impl Iterator<Item = &str> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"@.-_+%".contains(&byte);
    piece.split(move |byte| !is_part(*byte)).filter_map(|word| std::str::from_utf8(word).ok())
}

fn name_of(line: &[u8]) -> String {
    let name = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

/// The words that an index's files can be searched by: its dictionaries, whether a document still has them or not.
pub fn look_at_index(folder: &Path, scanner: &mut Scanner) -> Result<usize> {
    let mut hits = 0;
    for generation in generations(folder)? {
        let people = generation.join("people");
        let mut number = 0;
        while let part = people.join(format!("partition-{number}"))
            && part.is_dir()
        {
            let words = dictionary(&part)?;
            hits += scanner.count(&words);
            scanner.look("the words of an index", &words);
            number += 1;
        }
        ensure!(number > 0, "an index without people");
    }
    Ok(hits)
}

fn dictionary(folder: &Path) -> Result<Vec<u8>> {
    let index = Index::open(MmapDirectory::open(folder)?)?;
    let mut words = Vec::new();
    for segment in index.reader()?.searcher().segment_readers() {
        for (field, _) in index.schema().fields().filter(|(_, entry)| entry.is_indexed()) {
            let inverted = segment.inverted_index(field)?;
            let mut stream = inverted.terms().stream()?;
            while stream.advance() {
                words.extend_from_slice(stream.key());
                words.push(b'\n');
            }
        }
    }
    Ok(words)
}

/// The folders in which a node has an index: one, or two while it fills another.
pub fn generations(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).context("a node without an index")?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.join("people").is_dir()).collect())
}

/// Balances, and the sums of all postings, account by account.
pub fn sums(scene: &Scene, accounts: &[String], complaints: &mut Complaints) -> Result<String> {
    let list = accounts.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(",");
    let statement = format!(
        "select account_id, (select available || '/' || held from ledger.balance b where b.account_id = p.account_id),
             from_side, to_side, count(*), sum(amount)
         from ledger.posting p where account_id in ({list}) group by account_id, from_side, to_side order by 1, 3, 4"
    );
    let sums = scene.rig.postgres.psql(BOTH, &statement)?;
    if sums.trim().is_empty() {
        complaints.add("no account has any postings: their sums would prove nothing");
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_taken_apart_by_tables_and_words() {
        assert_eq!(name_of(b"ledger.history_p1 (id, at) FROM stdin;\n"), "ledger.history_p1");
        let found: Vec<&str> = words(b"1\t{\"a\":\"jo.do@acme.example\"}\thttps://n/in/jo-do\n").collect();
        assert!(found.contains(&"jo.do@acme.example") && found.contains(&"jo-do"));
    }
}
