//! An origin server on a free loopback port that records requests to the byte and answers as told. It reads HTTP/1.1
//! by the letter: what a proxy sends it that is not to the letter is recorded as a fault, never guessed at.

mod answer;
mod request;
mod server;

pub use answer::{Answer, Gate, Step};
pub use request::Received;
pub use server::{Authority, Origin};
