//! What the fuzz targets reach of this crate's inside. Not part of its interface: only they turn the feature on.

use std::net::IpAddr;

use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::DnsResponse;
use hickory_resolver::proto::rr::RData;

use crate::exchange::{self, Answer, DnsFailure, Exchanges};

pub use crate::session::{Answer as SessionAnswer, Envelope, Outcome, Session, Step};

/// What is read from one message of a nameserver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// There is no such name.
    pub no_name: bool,
    /// None where no exchange was named.
    pub exchanges: Option<Exchanges>,
    pub texts: Vec<String>,
    pub addresses: Vec<IpAddr>,
}

/// Reads a message as the resolver and this crate do; nothing where the bytes are none. `backwards` turns its records
/// round, as a nameserver may.
pub fn read_message(bytes: &[u8], backwards: bool) -> Option<Result<Heard, DnsFailure>> {
    let response = DnsResponse::from_buffer(bytes.to_vec()).ok()?;
    let answer = match DnsError::from_response(response) {
        Ok(response) => Ok(Answer::Records(response.answers.iter().map(|it| it.data.clone()).collect())),
        Err(error) => exchange::read_error(&NetError::Dns(error)),
    };
    Some(answer.map(|answer| hear(answer, backwards)))
}

fn hear(answer: Answer, backwards: bool) -> Heard {
    let no_name = matches!(answer, Answer::NoName);
    let mut records = answer.into_records();
    if backwards {
        records.reverse();
    }
    let named = exchange::named_exchanges(&records);
    // Without chance, so that two readings can be compared.
    let exchanges = (!named.is_empty()).then(|| exchange::choose_exchanges(&named, &mut || 0));
    Heard {
        no_name,
        exchanges,
        texts: exchange::choose_texts(&records),
        addresses: records.iter().filter_map(RData::ip_addr).collect(),
    }
}
