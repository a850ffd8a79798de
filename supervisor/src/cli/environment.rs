//! The environment of the process, as far as the command line takes anything from it.

use std::path::PathBuf;

use waf_compiler::tracing::Environment;

/// Variables of the environment about traces. An empty variable counts as absent, as the OpenTelemetry specification
/// has it.
pub fn tracing_environment() -> Environment {
    let said = |name| std::env::var_os(name)?.into_string().ok().filter(|text| !text.is_empty());
    Environment {
        endpoint: said("OTEL_EXPORTER_OTLP_ENDPOINT"),
        headers: said("OTEL_EXPORTER_OTLP_HEADERS"),
        timeout: said("OTEL_EXPORTER_OTLP_TIMEOUT"),
        resource_attributes: said("OTEL_RESOURCE_ATTRIBUTES"),
    }
}

/// Files and folders of trust anchors that the operator names in place of the system's, as OpenSSL has it.
pub fn anchors() -> Vec<PathBuf> {
    let file = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    let folders = std::env::var_os("SSL_CERT_DIR");
    let folders = folders.iter().flat_map(std::env::split_paths);
    file.into_iter().chain(folders).filter(|path| path.is_absolute()).collect()
}

/// Signs of a service manager: one that waits for reports, and one that hands over sockets.
pub fn managed() -> (bool, bool) {
    (std::env::var_os("NOTIFY_SOCKET").is_some(), std::env::var_os("LISTEN_FDS").is_some())
}
