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
