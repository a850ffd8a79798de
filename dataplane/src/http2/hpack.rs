//! HPACK (RFC 7541), the decoder. What a block may grow to is the caller's bound; nothing is kept once it is passed.

mod huffman;

mod table;

use bytes::Bytes;

use table::Table;

/// The reason why a block cannot be decoded. Both end the connection: the table can no longer be trusted to agree with
/// the peer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undecoded {
    /// Not HPACK.
    Malformed,
    /// More than the bound when decoded.
    TooLarge,
}

/// Bytes that a field counts beside its name and value (RFC 9113 section 6.5.2).
const FIELD_OVERHEAD: usize = 32;

/// Decodes the blocks of one connection in their order.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    table: Table,
}

impl Decoder {
    /// The fields of `block`, of at most `bytes_max` bytes counted as RFC 9113 section 6.5.2 does.
    pub(super) fn decode(
        &mut self,
        mut block: &[u8],
        bytes_max: usize,
    ) -> Result<Vec<(Bytes, Bytes)>, Undecoded> {
        let (mut fields, mut left) = (Vec::with_capacity(16), bytes_max);
        while let Some(first) = block.first().copied() {
            // The first bits say what the representation is (RFC 7541 section 6).
            let field = match first {
                0x80.. => self.table.field(integer(&mut block, 7)?).ok_or(Undecoded::Malformed)?,
                0x40.. => {
                    let field = self.literal(&mut block, 6, left)?;
                    self.table.insert(field.clone());
                    field
                }
                0x20.. => {
                    // A size update stands before the first field or nowhere (RFC 7541 section 4.2).
                    let size = integer(&mut block, 5)?;
                    if !fields.is_empty() || !self.table.resize(size) {
                        return Err(Undecoded::Malformed);
                    }
                    continue;
                }
                _ => self.literal(&mut block, 4, left)?,
            };
            let size = field.0.len() + field.1.len() + FIELD_OVERHEAD;
            left = left.checked_sub(size).ok_or(Undecoded::TooLarge)?;
            fields.push(field);
        }
        Ok(fields)
    }

    fn literal(
        &self,
        block: &mut &[u8],
        prefix_bits: u32,
        bytes_max: usize,
    ) -> Result<(Bytes, Bytes), Undecoded> {
        let name = match integer(block, prefix_bits)? {
            0 => string(block, bytes_max)?,
            index => self.table.field(index).ok_or(Undecoded::Malformed)?.0,
        };
        Ok((name, string(block, bytes_max)?))
    }
}

/// An integer with a prefix of so many bits (RFC 7541 section 5.1). None that means something has more than 28 bits.
fn integer(block: &mut &[u8], prefix_bits: u32) -> Result<usize, Undecoded> {
    let mask = (1usize << prefix_bits) - 1;
    let mut value = usize::from(take(block)?) & mask;
    if value < mask {
        return Ok(value);
    }
    for shift in [0, 7, 14, 21] {
        let byte = usize::from(take(block)?);
        value += (byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Undecoded::Malformed)
}

fn string(block: &mut &[u8], bytes_max: usize) -> Result<Bytes, Undecoded> {
    let is_huffman = block.first().is_some_and(|first| first & 0x80 != 0);
    let length = integer(block, 7)?;
    let (text, rest) = block.split_at_checked(length).ok_or(Undecoded::Malformed)?;
    *block = rest;
    if !is_huffman {
        return if length > bytes_max { Err(Undecoded::TooLarge) } else { Ok(Bytes::copy_from_slice(text)) };
    }
    huffman::decode(text, bytes_max)
}

fn take(block: &mut &[u8]) -> Result<u8, Undecoded> {
    let (first, rest) = block.split_first().ok_or(Undecoded::Malformed)?;
    *block = rest;
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("ascii"), 16).expect("hex"))
            .collect()
    }

    fn decode(decoder: &mut Decoder, block: &str) -> Result<Vec<String>, Undecoded> {
        let fields = decoder.decode(&hex(block), 4096)?;
        let text = |b: &Bytes| String::from_utf8_lossy(b).into_owned();
        Ok(fields.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect())
    }

    /// RFC 7541 appendices C.3 and C.4: the same three requests, plain and with Huffman coding.
    #[test]
    fn requests_of_the_rfc_are_decoded() {
        let plain = [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
            "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ];
        let huffman = [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
            "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ];
        for blocks in [plain, huffman] {
            let mut decoder = Decoder::default();
            let first = [":method=GET", ":scheme=http", ":path=/", ":authority=www.example.com"];
            assert_eq!(decode(&mut decoder, blocks[0]).expect("good"), first);
            let second = [&first[..], &["cache-control=no-cache"]].concat();
            assert_eq!(decode(&mut decoder, blocks[1]).expect("good"), second);
            let third = [
                ":method=GET",
                ":scheme=https",
                ":path=/index.html",
                ":authority=www.example.com",
                "custom-key=custom-value",
            ];
            assert_eq!(decode(&mut decoder, blocks[2]).expect("good"), third);
        }
    }

    /// RFC 7541 appendix C.6: responses whose entries push each other out of a table of 256 bytes.
    #[test]
    fn entries_are_evicted() {
        let mut decoder = Decoder::default();
        let blocks = [
            "3fe101 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad \
             1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
            "4883 640e ffc1 c0bf",
        ];
        decode(&mut decoder, blocks[0]).expect("good");
        let second = decode(&mut decoder, blocks[1]).expect("good");
        assert_eq!(second.first().map(String::as_str), Some(":status=307"));
        assert_eq!(second.last().map(String::as_str), Some("location=https://www.example.com"));
        assert_eq!(decode(&mut decoder, "c1").map(|f| f[0].clone()), Ok("cache-control=private".to_owned()));
        assert_eq!(decode(&mut decoder, "c2"), Err(Undecoded::Malformed));
    }

    #[test]
    fn what_is_no_hpack_is_refused() {
        for block in [
            "80",               // index 0
            "ff00",             // an index far beyond the table
            "ff80808080",       // an integer without an end
            "3fe21f",           // a table larger than was allowed
            "8220",             // a size update after a field
            "400161",           // a value that is missing
            "400161056161",     // a length beyond the block
            "00016184ffffffff", // the end-of-string code inside a string
            "0001618100",       // padding that is not all ones
            "0001618207ff",     // padding of more than seven bits
        ] {
            assert_eq!(decode(&mut Decoder::default(), block), Err(Undecoded::Malformed), "{block}");
        }
    }

    #[test]
    fn a_block_that_grows_is_stopped() {
        let mut decoder = Decoder::default();
        let mut block = hex("400178 7f81 1e");
        block.extend(std::iter::repeat_n(b'a', 0x7f + 0x81 - 0x80 + (0x1e << 7)));
        let length = block.len();
        assert!(decoder.decode(&block, 65_536).is_ok());
        let bomb = vec![0xbe; 16_000];
        assert_eq!(decoder.decode(&bomb, 65_536), Err(Undecoded::TooLarge));
        assert_eq!(Decoder::default().decode(&block, length - 100), Err(Undecoded::TooLarge));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(blocks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 1..5)) {
            let mut decoder = Decoder::default();
            for block in blocks {
                let _ = decoder.decode(&block, 1000);
            }
        }

        #[test]
        fn huffman_coding_is_undone(text in proptest::collection::vec(any::<u8>(), 0..100)) {
            let coded = huffman::tests::encode(&text);
            let decoded = huffman::decode(&coded, 100);
            prop_assert_eq!(decoded.as_deref(), Ok(text.as_slice()));
        }
    }
}
