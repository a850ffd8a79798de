//! The linter: see the library.
fn main() {}
