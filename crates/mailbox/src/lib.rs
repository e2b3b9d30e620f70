//! Is this address real: what can be told of one without a connection, who takes its mail, and what their server says of it.
//!
//! Asks DNS and speaks SMTP; knows nothing of accounts, storage or prices. Mail is never sent: a session ends before DATA.
