//! The `waf` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    waf_supervisor::program::run()
}
