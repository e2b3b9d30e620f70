//! Cursors: opaque to the client, a small JSON value to us.

use crate::fault::Fault;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes a cursor. What goes in must be ids and times, never personal data: clients store cursors in logs.
pub fn write<T: Serialize>(place: &T) -> Option<String> {
    serde_json::to_vec(place).ok().map(|json| URL_SAFE_NO_PAD.encode(json))
}

/// Reads a cursor this endpoint wrote.
pub fn read<T: DeserializeOwned>(text: Option<&str>) -> Result<Option<T>, Fault> {
    let Some(text) = text else { return Ok(None) };
    let decoded = URL_SAFE_NO_PAD.decode(text).ok();
    let place = decoded.and_then(|json| serde_json::from_slice(&json).ok());
    place.map(Some).ok_or_else(|| {
        let fix = "send next_cursor of the previous page unchanged, or start again without a cursor";
        Fault::field("/cursor", "invalid_cursor", "not a cursor of this endpoint", fix)
    })
}

/// Cuts a page from rows that were read with one more than `limit`, and writes where the next page begins if there is one.
pub fn cut<R, T: Serialize>(rows: &mut Vec<R>, limit: u32, place: impl FnOnce(&R) -> T) -> Option<String> {
    let limit = usize::try_from(limit).unwrap_or(1);
    let more = rows.len() > limit;
    rows.truncate(limit);
    rows.last().filter(|_| more).and_then(|last| write(&place(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_where_the_next_one_begins() {
        let mut rows = vec![1, 2, 3];
        let next = cut(&mut rows, 2, |row| *row);
        assert_eq!((rows, read::<i32>(next.as_deref()).unwrap()), (vec![1, 2], Some(2)));
        for count in [0, 1, 2] {
            let mut rows: Vec<i32> = (0..count).collect();
            assert_eq!(cut(&mut rows, 2, |row| *row), None);
            assert_eq!(rows.len(), usize::try_from(count).unwrap());
        }
    }
}
