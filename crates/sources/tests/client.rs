//! The client against real sockets: vendors on loopback that answer, fail, hang, trickle and send elsewhere.

#[cfg(test)]
mod client {
    mod bounds;
    mod breaking;
    mod reaching;
    mod resting;
    mod server;
    mod trying;
    mod vendor;
}
