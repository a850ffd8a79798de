//! Helpers of the end-to-end tests: the programs as they were built, an origin that answers as told, a client that
//! counts every byte, and load. They know the service from outside alone: its command line, its sockets, its streams.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

pub mod programs;

pub mod ports;

pub mod polling;

pub mod clock;

pub mod raw;

pub mod tls;

pub mod pebble;

pub mod frames;

pub mod websocket;

pub mod contract;

pub mod coded;

pub mod limit;

pub mod rate_limit;

pub mod multipart;

pub mod origin;

pub mod collector;

pub mod kubelet;

pub mod running;

pub mod site;

pub mod zone;

pub mod scrape;

pub mod load;

pub mod chart;

pub mod image;

pub mod control;
