//! The files of a partition, none of which is waited for until it is on the disk, but for large ones.
//!
//! A commit of Tantivy's waits for the disk some thirty times, and an index that follows a log commits several times a second: what
//! charges calls writes to the same disk and waits behind that. An index is only a copy of the tables. What the machine loses of it is
//! read again, by whoever keeps a state that is on the disk and knows that the machine has failed since.

use assay_domain::limits::INDEX_FILE_WAITED_FOR_BYTES;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

/// Beside a file that is about to take its place.
const NEW: &str = "new";

/// Reads as Tantivy does.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
    read: MmapDirectory,
}

impl Files {
    pub(crate) fn open(folder: &Path) -> Result<Self, tantivy::TantivyError> {
        Ok(Self { folder: folder.to_owned(), read: MmapDirectory::open(folder)? })
    }
}

impl Directory for Files {
    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let opened = OpenOptions::new().write(true).create_new(true).open(self.folder.join(path));
        let file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        Ok(BufWriter::new(Box::new(Written(file))))
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let target = self.folder.join(path);
        let new = target.with_added_extension(NEW);
        std::fs::write(&new, content)?;
        std::fs::rename(new, target)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.read.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.read.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.read.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.read.atomic_read(path)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.read.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.read.watch(callback)
    }
}

struct Written(File);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Written {
    /// A large one is waited for: many of them left to the system would reach the disk all at once.
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        if self.0.metadata()?.len() >= INDEX_FILE_WAITED_FOR_BYTES {
            self.0.sync_data()?;
        }
        Ok(())
    }
}
