//! Free TCP ports below the range that the system hands out by itself, so that no outgoing connection takes one between
//! the moment it was found free and the moment it is bound.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

const FIRST: u32 = 10_000;
const COUNT: u32 = 22_000;

/// Ports tried before giving up.
const TRIES: u32 = 2_000;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A port that nobody listens on, given to one caller of this process only.
pub fn free() -> u16 {
    for _ in 0..TRIES {
        let port = next();
        if TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)).is_ok()
            || (TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err()
                && TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok())
        {
            return port;
        }
    }
    panic!("no free port among {TRIES}");
}

/// A listener on a free loopback port.
pub fn listener() -> TcpListener {
    for _ in 0..TRIES {
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, next())) {
            return listener;
        }
    }
    panic!("no free port among {TRIES}");
}

fn next() -> u16 {
    // Test programs that run side by side start at different places.
    let start = std::process::id().wrapping_mul(7_919) % COUNT;
    let step = NEXT.fetch_add(1, Ordering::Relaxed);
    (FIRST + (start + step) % COUNT) as u16
}
