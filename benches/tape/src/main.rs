//! Reads files of JSON lines into simd-json's tape, line by line, and does nothing with it: how long it takes to know
//! the structure of what `ctxlint audit` reads.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

fn main() -> io::Result<()> {
    let mut buffers = simd_json::Buffers::default();
    let (mut lines, mut bytes) = (0u64, 0u64);
    for path in std::env::args_os().skip(1) {
        let mut input = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            bytes += line.len() as u64;
            lines += 1;
            simd_json::to_tape_with_buffers(&mut line, &mut buffers).map_err(io::Error::other)?;
            line.clear();
        }
    }
    writeln!(io::stdout(), "{lines} lines, {bytes} bytes")
}
