//! Prints `docs/audit.md`.

fn main() {
    print!("{}", waf_dataplane::audit::reference::page());
}
