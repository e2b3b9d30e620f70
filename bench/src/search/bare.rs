//! The same searches asked of Tantivy itself, in this process: the files of the node's own index, its plain collectors, and
//! nothing around them.

use super::icp::Icp;
use anyhow::{Context, Result, bail};
use std::path::Path;
use tantivy::collector::{Count, TopDocs};
use tantivy::directory::MmapDirectory;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, IndexReader, Order, ReloadPolicy, Term};
use uuid::Uuid;

/// The partitions of the people's index, as a node keeps them up.
pub struct Bare {
    partitions: Vec<(Index, IndexReader)>,
}

/// What Tantivy found.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub ids: Vec<Uuid>,
    pub count: usize,
}

impl Bare {
    /// Reads along with the node that writes: every commit of it is seen.
    pub fn open(index_folder: &Path) -> Result<Self> {
        let entries = std::fs::read_dir(index_folder)?.collect::<std::io::Result<Vec<_>>>()?;
        let generation = entries
            .iter()
            .map(std::fs::DirEntry::path)
            .filter(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("generation-"))
            })
            .max()
            .context("the node has no index")?;
        let people = generation.join("people");
        let mut partitions = Vec::new();
        while let folder = people.join(format!("partition-{}", partitions.len()))
            && folder.is_dir()
        {
            let index = Index::open(MmapDirectory::open(&folder)?)?;
            let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
            partitions.push((index, reader));
        }
        Ok(Self { partitions })
    }

    /// Takes in what the node committed since; not a part of answering.
    pub fn reload(&self) -> Result<()> {
        Ok(self.partitions.iter().try_for_each(|(_, reader)| reader.reload())?)
    }

    /// The first `limit` of a search in their order, and how many there are.
    pub fn search(&self, icp: &Icp, limit: usize) -> Result<Answer> {
        let each: Result<Vec<_>> = std::thread::scope(|scope| {
            let asked: Vec<_> =
                self.partitions.iter().map(|one| scope.spawn(|| partition(one, icp, limit))).collect();
            asked.into_iter().map(|one| one.join().unwrap_or_else(|_| bail!("a search panicked"))).collect()
        });
        let each = each?;
        let count = each.iter().map(|(_, count)| count).sum();
        let mut rows: Vec<(u64, Uuid)> = each.into_iter().flat_map(|(rows, _)| rows).collect();
        rows.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        rows.truncate(limit);
        Ok(Answer { ids: rows.into_iter().map(|(_, id)| id).collect(), count })
    }
}

type Found = (Vec<(u64, Uuid)>, usize);

fn partition((index, reader): &(Index, IndexReader), icp: &Icp, limit: usize) -> Result<Found> {
    let terms = index.schema().get_field("terms")?;
    let term = |name: &str, value: &str| -> Box<dyn Query> {
        let term = Term::from_field_bytes(terms, format!("{name}\0{value}").as_bytes());
        Box::new(TermQuery::new(term, IndexRecordOption::Basic))
    };
    let mut parts = Vec::new();
    for (field, value) in &icp.terms {
        parts.push((Occur::Must, term(field, value)));
    }
    // What belongs to one account alone.
    parts.push((Occur::MustNot, term("owner", "*")));
    let searcher = reader.searcher();
    let best = TopDocs::with_limit(limit).order_by_u64_field("order", Order::Desc);
    let (best, count) = searcher.search(&BooleanQuery::new(parts), &(best, Count))?;
    let mut rows = Vec::with_capacity(best.len());
    for (order, address) in best {
        let fast = searcher.segment_reader(address.segment_ord).fast_fields();
        let column = |name: &str| -> Result<u64> { Ok(fast.u64(name)?.first(address.doc_id).unwrap_or(0)) };
        let id = Uuid::from_u64_pair(column("id_high")?, column("id_low")?);
        rows.push((order.unwrap_or(0), id));
    }
    Ok((rows, count))
}
