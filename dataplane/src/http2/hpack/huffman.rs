//! The Huffman code of HPACK (RFC 7541 section 5.2 and appendix B). The code is canonical: symbols of one length have
//! consecutive codes in the order of their values, so the lengths alone define it.

use std::sync::LazyLock;

use bytes::Bytes;

use super::Undecoded;

/// Length of each byte's code in bits.
#[rustfmt::skip]
const LENGTHS: [u8; 256] = [
    13,23,28,28,28,28,28,28,28,24,30,28,28,30,28,28,28,28,28,28,28,28,30,28,28,28,28,28,28,28,28,28,
     6,10,10,12,13, 6, 8,11,10,10, 8,11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8,15, 6,12,10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8,13,19,13,14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7,15,11,14,13,28,
    20,22,20,20,22,22,22,23,22,23,23,23,23,23,24,23,24,24,22,23,24,23,23,23,23,21,22,23,22,23,23,24,
    22,21,20,22,22,23,23,21,23,22,22,24,21,22,23,23,21,21,22,21,23,22,23,23,20,22,22,22,23,22,22,23,
    26,26,20,19,22,23,22,25,26,26,26,27,27,26,24,25,19,21,26,27,27,26,27,24,21,21,26,26,28,27,27,27,
    20,24,20,21,22,21,21,23,22,22,25,25,24,24,26,23,26,27,26,26,27,27,27,27,27,28,27,27,27,27,27,26,
];

/// The longest code. One of that length, all ones, is the end-of-string symbol and never occurs in a string.
const BITS_MAX: usize = 30;

/// For each length: the first code, how many there are, and where their symbols begin in `symbols`.
struct Code {
    lengths: [(u32, u32, usize); BITS_MAX + 1],
    symbols: Vec<u8>,
}

static CODE: LazyLock<Code> = LazyLock::new(|| {
    let mut lengths = [(0, 0, 0); BITS_MAX + 1];
    let (mut next, mut symbols) = (0, Vec::with_capacity(256));
    for (bits, entry) in (0u8..).zip(&mut lengths) {
        next <<= 1;
        let from = symbols.len();
        symbols.extend((0..=255u8).filter(|symbol| LENGTHS[usize::from(*symbol)] == bits));
        let count = (symbols.len() - from) as u32;
        *entry = (next, count, from);
        next += count;
    }
    Code { lengths, symbols }
});

/// The string that `coded` stands for, of at most `bytes_max` bytes.
pub(super) fn decode(coded: &[u8], bytes_max: usize) -> Result<Bytes, Undecoded> {
    let code = &*CODE;
    let mut out = Vec::with_capacity((coded.len() * 8 / 5).min(bytes_max));
    let (mut prefix, mut bits) = (0u32, 0usize);
    for byte in coded {
        for shift in (0..8).rev() {
            prefix = prefix << 1 | u32::from(byte >> shift & 1);
            bits += 1;
            // Longer than every code: only the end-of-string symbol is that long and is no symbol of ours.
            let (first, count, from) = *code.lengths.get(bits).ok_or(Undecoded::Malformed)?;
            let Some(offset) = prefix.checked_sub(first).filter(|offset| *offset < count) else { continue };
            let symbol = code.symbols.get(from + offset as usize).ok_or(Undecoded::Malformed)?;
            if out.len() == bytes_max {
                return Err(Undecoded::TooLarge);
            }
            out.push(*symbol);
            (prefix, bits) = (0, 0);
        }
    }
    // What is left over is the beginning of the end-of-string symbol, shorter than a byte.
    if bits > 7 || prefix.count_ones() as usize != bits {
        return Err(Undecoded::Malformed);
    }
    Ok(Bytes::from(out))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn encode(text: &[u8]) -> Vec<u8> {
        let code = |symbol: u8| {
            let bits = usize::from(LENGTHS[usize::from(symbol)]);
            let (first, _, from) = CODE.lengths[bits];
            let at = CODE.symbols[from..].iter().position(|s| *s == symbol).expect("every byte has a code");
            (u64::from(first) + at as u64, bits)
        };
        let (mut out, mut held, mut bits) = (Vec::new(), 0u64, 0usize);
        for symbol in text {
            let (next, length) = code(*symbol);
            held = held << length | next;
            bits += length;
            while bits >= 8 {
                bits -= 8;
                out.push((held >> bits) as u8);
                held &= (1 << bits) - 1;
            }
        }
        if bits > 0 {
            out.push((held << (8 - bits)) as u8 | ((1u16 << (8 - bits)) - 1) as u8);
        }
        out
    }

    #[test]
    fn the_code_is_complete() {
        // Kraft: all codes together with the end-of-string symbol fill the space exactly.
        let used: u64 = LENGTHS.iter().map(|bits| 1u64 << (BITS_MAX - usize::from(*bits))).sum();
        assert_eq!(used + 1, 1 << BITS_MAX);
    }
}
