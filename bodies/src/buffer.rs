//! Buffers that outlive a request.

/// Bytes of a buffer that wait for the next request; what a long value needed beyond them is given back.
const BUFFER_BYTES_KEPT: usize = 128 << 10;

/// Empties a buffer for the next request.
pub fn recycle(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.shrink_to(BUFFER_BYTES_KEPT);
}
