//! Free loopback ports.

use std::net::TcpListener;

use anyhow::Context;

/// A loopback port nobody listens on now. Another process may take it before the caller does.
pub fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("cannot bind a loopback port")?;
    Ok(listener.local_addr()?.port())
}
