//! Books as the last commits of this node left them: who charges one of them may try without reading it first.
//!
//! Nothing is decided by what is remembered alone: the statement that writes compares all of a book with its row, whoever changed that,
//! be it another node, an operator or a restored backup.

use super::book::Book;
use assay_domain::{AccountId, limits};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shared by the workers of a lane. Whoever is about to change a book takes it out, so that no two try with the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Remembered(Arc<Mutex<HashMap<AccountId, Kept>>>);

#[derive(Debug)]
struct Kept {
    book: Book,
    /// Once somebody else was seen to change it, it is only compared until it is found as it was left: where several nodes charge one
    /// account by turns, trying would be in vain.
    is_disturbed: bool,
}

impl Remembered {
    /// Takes out the books of all these accounts, or none where one is missing.
    pub(super) fn take(&self, accounts: impl Iterator<Item = AccountId>) -> Option<HashMap<AccountId, Book>> {
        let wanted: HashSet<AccountId> = accounts.collect();
        let mut books = self.books();
        if !wanted.iter().all(|account| books.get(account).is_some_and(|kept| !kept.is_disturbed)) {
            return None;
        }
        wanted.into_iter().map(|account| Some((account, books.remove(&account)?.book))).collect()
    }

    /// Takes out those that are locked now, and tells which of them somebody else has changed.
    pub(super) fn compare(&self, locked: &HashMap<AccountId, Book>) -> HashSet<AccountId> {
        let mut books = self.books();
        let disturbed = locked.iter().filter(|(account, book)| {
            books.remove(account).is_some_and(|kept| kept.book.version != book.version)
        });
        disturbed.map(|(account, _)| *account).collect()
    }

    pub(super) fn keep(
        &self,
        left: impl IntoIterator<Item = (AccountId, Book)>,
        is_disturbed: impl Fn(AccountId) -> bool,
    ) {
        let mut books = self.books();
        for (account, book) in left {
            // Without room all is forgotten; whoever comes again is soon there again.
            if books.len() >= limits::LEDGER_REMEMBERED_MAX {
                books.clear();
            }
            let book = Book::new(book.available, book.held, book.version, book.lots);
            books.insert(account, Kept { book, is_disturbed: is_disturbed(account) });
        }
    }

    fn books(&self) -> MutexGuard<'_, HashMap<AccountId, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
