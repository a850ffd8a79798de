//! Work on files, away from the thread of the runtime.

use super::failure::Failure;

/// Runs `work`, which may block, on a thread for such work.
pub(super) async fn blocking<T, E, F>(work: F) -> Result<T, Failure>
where
    T: Send + 'static,
    E: std::fmt::Display + Send + 'static,
    F: FnOnce() -> Result<T, E> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(Failure::local(&error)),
        Err(error) => Err(Failure::local(&error)),
    }
}
