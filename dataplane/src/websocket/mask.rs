//! Masks of payloads (RFC 6455 section 5.3).

/// Bytes that are combined at once.
const BLOCK_BYTES: usize = 32;

/// Appends `bytes` without their mask; `offset` bytes of the payload came before.
pub(crate) fn unmask(bytes: &[u8], mask: [u8; 4], offset: u64, out: &mut Vec<u8>) {
    let mut turned = mask;
    turned.rotate_left(usize::try_from(offset % 4).unwrap_or_default());
    let start = out.len();
    out.extend_from_slice(bytes);
    let Some(added) = out.get_mut(start..) else { return };
    let (blocks, rest) = added.as_chunks_mut::<BLOCK_BYTES>();
    let mut wide = [0; BLOCK_BYTES];
    for four in wide.as_chunks_mut::<4>().0 {
        *four = turned;
    }
    for block in blocks {
        for (byte, key) in block.iter_mut().zip(wide) {
            *byte ^= key;
        }
    }
    for (byte, key) in rest.iter_mut().zip(wide) {
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_cut_of_a_payload_gives_the_same_bytes() {
        let mask = [0x37, 0xfa, 0x21, 0x3d];
        let payload: Vec<u8> = (0..=255).cycle().take(1_000).collect();
        let masked: Vec<u8> = payload.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        for size in [1, 2, 3, 5, 31, 32, 33, 1_000] {
            let mut out = Vec::new();
            for (index, piece) in masked.chunks(size).enumerate() {
                unmask(piece, mask, (index * size) as u64, &mut out);
            }
            assert!(out == payload, "{size}");
        }
    }
}
