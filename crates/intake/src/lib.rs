//! Floor 1: reading files of people and companies, written by others, into typed rows.
//!
//! A file is CSV, JSON lines or Parquet. A [`Mapping`] says which column feeds which field; it is guessed from the names of
//! the columns or written by a person. A [`Reader`] gives the rows in batches, and a [`Position`] with each, from which
//! reading goes on after a stop. A value that cannot be read is dropped with a [`Note`]; a row that names nobody, or is
//! broken, becomes a [`Reject`]. Neither ever holds a value, except for the row itself in [`Reject::raw`].
//!
//! ```
//! use assay_domain::NetworkHosts;
//! use assay_intake::{BatchRows, Format, Kind, Mapping, Position, Reader, fingerprint, read_headers};
//! # let path = std::env::temp_dir().join(format!("assay-intake-example-{}.csv", std::process::id()));
//! # std::fs::write(&path, "Name,Work Email,Shoe size\nJane Doe,jane@acme.example,38\n,,39\n").map_err(assay_intake::Error::Open)?;
//!
//! let (format, hosts) = (Format::guess(&path)?, NetworkHosts::default());
//! let headers = read_headers(&path, format, None)?;
//! let mapping = Mapping::guess(Kind::People, &headers, &hosts);
//! // What the operator sees, edits and gives back; it also says how records without an id get one.
//! let text = mapping.to_toml(&headers);
//! assert!(text.contains("work_emails = \"Work Email\""));
//! let mapping = Mapping::from_toml(&text)?;
//!
//! // Kept with the position of the last batch written: an import goes on only with the file it began with.
//! let _before = fingerprint(&path)?;
//! let mut reader = Reader::open(&path, format, &mapping, hosts, Position::START)?;
//! while let Some(batch) = reader.next_batch(5_000)? {
//!     if let BatchRows::People(rows) = &batch.rows {
//!         for (row, person) in rows {
//!             assert_eq!((*row, person.full_name.as_deref()), (1, Some("Jane Doe")));
//!             assert!(person.external_ref.starts_with("email-"), "made from the email, since there is no id");
//!         }
//!     }
//!     for reject in &batch.rejects {
//!         assert_eq!(
//!             reject.to_string(),
//!             "row 2, line 3: names nobody: give it a name, an email, a phone or a network url"
//!         );
//!     }
//!     assert_eq!(batch.position.to_string(), "2:3:61");
//! }
//! # std::fs::remove_file(&path).ok();
//! # Ok::<(), assay_intake::Error>(())
//! ```

mod cells;
mod company;
mod csv;
mod encoding;
mod error;
mod external_ref;
mod field;
mod fingerprint;
mod format;
mod guess;
mod header;
mod history;
mod jsonl;
pub mod limits;
mod mapping;
mod nearest;
mod note;
mod parquet;
mod person;
mod position;
mod reader;
mod reading;
mod rows;
mod text;
mod value;
mod window;

pub use company::CompanyRow;
pub use encoding::Encoding;
pub use error::Error;
pub use field::{CompanyField, Field, Kind, PersonField};
pub use fingerprint::fingerprint;
pub use format::Format;
pub use header::Headers;
pub use history::{EducationRow, EmploymentRow};
pub use mapping::Mapping;
pub use note::{Dropped, Note, Reason, Reject};
pub use person::{EmailRow, PersonRow};
pub use position::Position;
pub use reader::{Batch, BatchRows, Reader, read_headers};
pub use value::country::CountryCode;
pub use value::language::LanguageCode;
pub use value::number::HeadCount;
