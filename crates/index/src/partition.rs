//! One partition: an index of Tantivy's in a folder, with its writer and its reader.

use crate::columns::KeptColumns;
use crate::document::Document;
use crate::error::IndexError;
use crate::files::Files;
use crate::question::Question;
use crate::schema::{Fields, schema, settings};
use crate::search::{Mark, Page};
use crate::together::KeptTerms;
use crate::walk::{Found, walk};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::query::EnableScoring;
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, Searcher, SegmentReader};
use uuid::Uuid;

/// Documents that are being added wait in so much memory.
const WRITER_BYTES: usize = 64 << 20;
/// A segment of which this much is deleted is written anew, whatever its size.
const DELETED_SHARE_MAX: f32 = 0.2;
/// Segments with fewer documents count as equally small. Each time there are enough of them all are put together: were a large one
/// among them (Tantivy says 10,000), it would be written anew for every handful of changes.
const SMALL_DOCUMENTS: u32 = 500;
/// Segments beyond this are not put together any more.
const MERGED_DOCUMENTS_MAX: usize = 5_000_000;

pub(crate) struct Partition {
    pub(crate) folder: PathBuf,
    pub(crate) fields: Fields,
    pub(crate) index: tantivy::Index,
    pub(crate) kept: Arc<KeptTerms>,
    pub(crate) columns: KeptColumns,
    reader: IndexReader,
    writer: Mutex<IndexWriter>,
}

impl std::fmt::Debug for Partition {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Partition").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Partition {
    /// Opens what is in the folder, or begins an empty one there.
    pub(crate) fn open(folder: &Path) -> Result<Self, IndexError> {
        std::fs::create_dir_all(folder)?;
        let (schema, fields) = schema();
        let files = Files::open(folder)?;
        let index = tantivy::Index::builder()
            .schema(schema)
            .settings(settings())
            .open_or_create(files)
            .map_err(|why| IndexError::Unreadable { path: folder.to_owned(), why: why.to_string() })?;
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(WRITER_BYTES)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options)?;
        let mut merging = LogMergePolicy::default();
        merging.set_del_docs_ratio_before_merge(DELETED_SHARE_MAX);
        merging.set_min_layer_size(SMALL_DOCUMENTS);
        merging.set_max_docs_before_merge(MERGED_DOCUMENTS_MAX);
        writer.set_merge_policy(Box::new(merging));
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self {
            folder: folder.to_owned(),
            fields,
            index,
            kept: Arc::default(),
            columns: KeptColumns::default(),
            reader,
            writer: Mutex::new(writer),
        })
    }

    /// How far it has read, if anything was ever committed.
    pub(crate) fn mark(&self) -> Result<Option<Mark>, IndexError> {
        Ok(self.index.load_metas()?.payload.as_deref().and_then(Mark::read))
    }

    /// Makes changes visible together with how far they go, as one: whoever ends meanwhile leaves all of it or nothing.
    pub(crate) fn apply<'a>(
        &self,
        put: impl Iterator<Item = &'a Document>,
        delete: impl Iterator<Item = Uuid>,
        mark: &Mark,
    ) -> Result<(), IndexError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        for id in delete {
            writer.delete_term(self.fields.id(id));
        }
        for document in put {
            writer.delete_term(self.fields.id(document.place.id));
            writer.add_document(self.fields.write(document))?;
        }
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&mark.write());
        commit.commit()?;
        self.reader.reload()?;
        let segments = self.searcher().segment_readers().iter().map(SegmentReader::segment_id).collect();
        self.kept.retain(&segments);
        self.columns.retain(&segments);
        Ok(())
    }

    /// Adds documents without looking whether they are there.
    pub(crate) fn fill<'a>(&self, documents: impl Iterator<Item = &'a Document>) -> Result<(), IndexError> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        for document in documents {
            writer.add_document(self.fields.write(document))?;
        }
        Ok(())
    }

    pub(crate) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    pub(crate) fn search(&self, question: &Question, page: &Page) -> Result<Found, IndexError> {
        let searcher = self.searcher();
        let query = question.query(&self.fields, &self.kept);
        let weight = query.weight(EnableScoring::disabled_from_searcher(&searcher))?;
        let mut all = Found::default();
        for segment in searcher.segment_readers() {
            // What was counted in other segments need not be counted in this one.
            let page = Page { count_to: page.count_to.saturating_sub(all.count), ..*page };
            let found = walk(&*weight, segment, &self.columns, &page)?;
            all.count += found.count;
            all.rows.extend(found.rows);
        }
        Ok(all)
    }

    pub(crate) fn count(&self, question: &Question) -> Result<u64, IndexError> {
        let searcher = self.searcher();
        let query = question.query(&self.fields, &self.kept);
        Ok(u64::try_from(query.count(&searcher)?).unwrap_or(u64::MAX))
    }
}
