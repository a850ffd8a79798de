//! The programs under test: beside the test executable, in the same build profile. Nothing is built here.

use std::path::{Path, PathBuf};

/// The service.
pub fn waf() -> PathBuf {
    program("waf")
}

/// The linter.
pub fn waf_compile() -> PathBuf {
    program("waf-compile")
}

/// The tool that makes what is shipped beside the programs.
pub fn waf_packaging() -> PathBuf {
    program("waf-packaging")
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie in a folder of the repository")
        .to_owned()
}

fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    // target/<profile>/deps/<test> beside target/<profile>/<program>
    let folder = test.parent().and_then(Path::parent).expect("test executables lie in target/<profile>/deps");
    let path = folder.join(name);
    assert!(
        path.is_file(),
        "{} does not exist: build the programs in the same profile first, with `cargo build --workspace --bins`",
        path.display()
    );
    path
}
