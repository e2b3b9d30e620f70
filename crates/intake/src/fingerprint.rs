//! A file's fingerprint: tells whether an import that goes on still has the file it began with.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::Error;

/// Of each end. A whole file of many gigabytes would take minutes to read only to be recognised.
const END_BYTES: u64 = 1024 * 1024;

/// SHA-256 over the size and both ends of the file. Not proof against whoever changes the middle on purpose.
pub fn fingerprint(path: &Path) -> Result<[u8; 32], Error> {
    let mut file = File::open(path).map_err(Error::Open)?;
    let size = file.metadata().map_err(Error::Open)?.len();
    let mut digest = Sha256::new();
    digest.update(size.to_le_bytes());
    digest_next(&mut file, &mut digest)?;
    // Of a file of less than two ends, both are the same bytes or overlap, which does no harm.
    file.seek(SeekFrom::Start(size.saturating_sub(END_BYTES))).map_err(Error::Read)?;
    digest_next(&mut file, &mut digest)?;
    Ok(digest.finalize().into())
}

fn digest_next(file: &mut File, digest: &mut Sha256) -> Result<(), Error> {
    let mut end = Vec::new();
    file.take(END_BYTES).read_to_end(&mut end).map_err(Error::Read)?;
    digest.update(&end);
    Ok(())
}
