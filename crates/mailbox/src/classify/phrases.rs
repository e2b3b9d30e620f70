//! What mail servers write of the moment, of the question and of their rules.

use super::words::Phrases;

pub(super) const TLS: Phrases = &[
    "starttls",
    "tls is required",
    "tls required",
    "requires tls",
    "must use tls",
    "encryption required",
    "encryption needed",
    "encrypted connection required",
];

pub(super) const GREYLIST: Phrases = &[
    "greylisted",
    "greylisting",
    "graylisted",
    "graylisting",
    "greylist",
    "graylist",
    "grey listed",
    "gray listed",
    "grey listing",
    "gray listing",
    "postgrey",
    "you have been greylisted",
    "first time sender + try again",
];

pub(super) const TOO_FAST: Phrases = &[
    "receiving mail at a rate",
    "receiving mail too quickly",
    "receiving mail too fast",
    "recipient has exceeded message rate limit",
    "recipient has exceeded their limit",
    "recipient + has exceeded their limit",
    "receiving messages too quickly",
];

pub(super) const SESSION_LIMIT: Phrases = &[
    "error too many errors",
    "too many errors",
    "error too many recipients",
    "too many recipients in this session",
    "too many recipients for this message",
    "max message per connection",
    "too many messages in this connection",
    "maximum number of recipients",
];

pub(super) const LATER: Phrases = &[
    "try again",
    "try later",
    "come back",
    "temporarily unavailable",
    "temporary",
    "temporarily deferred",
    "service unavailable",
    "currently unavailable",
    "server busy",
    "please retry",
    "in progress",
];

/// Said with a final code, and not meant so.
pub(super) const NOT_NOW: Phrases = &[
    "temporarily",
    "try again later",
    "try later",
    "please try again in",
    "unverified address",
    "verification in progress",
    "lookup failure",
];

pub(super) const SYNTAX: Phrases = &[
    "syntax error",
    "bad address syntax",
    "address syntax",
    "is not a valid rfc",
    "not rfc compliant + address",
    "malformed address",
    "need mail command",
    "bad sequence",
    "unsupported option",
];

/// A rule is the reason, or nothing is said but that somebody is denied.
pub(super) const POLICY: Phrases = &[
    "policy",
    "policies",
    // Whoever is said not to exist may then be the sender.
    "sender",
    "senders",
    "mailfrom",
    "prohibited",
    "prohibition",
    "blocked",
    "not authenticated",
    "authentication required",
    "not allowed",
    "not permitted",
    "restricted",
    "or access denied",
    "only accepts",
    "members only",
    "block rcpt",
    "virus",
    "content",
    "message filtered",
    "attachment",
    "loop detected",
    "message size",
];
