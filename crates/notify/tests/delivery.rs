//! Deliveries over real sockets, to receivers on loopback that answer, refuse, hang, trickle or break off.

#[cfg(test)]
mod delivery {
    mod answers;
    mod encryption;
    mod faults;
    mod rebinding;
    mod receiver;
}
