//! Makes one frame safe for lapin's parser, which takes only UTF-8 names and recurses into tables on a small stack:
//! one message could otherwise end the connection for ever, or the process.
//!
//! In place, without changing a length: bytes of names that are not UTF-8 become `?`, tables and lists nested deeper
//! than [`MAX_DEPTH`] become byte arrays of the same content. Iterative and bounds-checked: what does not parse is left
//! as it is, for lapin to refuse.

pub(super) const METHOD: u8 = 1;
pub(super) const HEADER: u8 = 2;
pub(super) const BODY: u8 = 3;
pub(super) const HEARTBEAT: u8 = 8;

/// How deep tables and lists may be nested.
pub(super) const MAX_DEPTH: usize = 32;

const DELIVER: [u8; 4] = [0, 60, 0, 60];
const GET_OK: [u8; 4] = [0, 60, 0, 71];
const RETURN: [u8; 4] = [0, 60, 0, 50];
const CANCEL: [u8; 4] = [0, 60, 0, 30];
const CHANNEL_OPEN_OK: [u8; 4] = [0, 20, 0, 11];
const CHANNEL_CLOSE: [u8; 4] = [0, 20, 0, 40];
const CONNECTION_START: [u8; 4] = [0, 10, 0, 10];
const CONNECTION_CLOSE: [u8; 4] = [0, 10, 0, 50];

/// Repairs the payload of a frame; says whether there was anything to repair.
pub(super) fn repair(kind: u8, payload: &mut [u8]) -> bool {
    let mut cursor = Cursor { bytes: payload, at: 0, repaired: false };
    // `None` is the end of what can be understood; repairs made so far count all the same.
    let _ = match kind {
        METHOD => method(&mut cursor),
        HEADER => header(&mut cursor),
        _ => None,
    };
    cursor.repaired
}

/// The delivery tag, if the method is a `basic.deliver`.
pub(super) fn delivery_tag(payload: &[u8]) -> Option<u64> {
    let rest = payload.strip_prefix(&DELIVER)?;
    let (&length, rest) = rest.split_first()?;
    let tag = rest.get(usize::from(length)..)?.first_chunk()?;
    Some(u64::from_be_bytes(*tag))
}

pub(super) fn opens_channel(method: &[u8]) -> bool {
    method.starts_with(&CHANNEL_OPEN_OK)
}

pub(super) fn closes_channel(method: &[u8]) -> bool {
    method.starts_with(&CHANNEL_CLOSE)
}

struct Cursor<'a> {
    bytes: &'a mut [u8],
    at: usize,
    repaired: bool,
}

impl Cursor<'_> {
    fn skip(&mut self, count: usize) -> Option<()> {
        self.at = self.at.checked_add(count).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn length(&mut self) -> Option<usize> {
        let length = self.bytes.get(self.at..)?.first_chunk().map(|length| u32::from_be_bytes(*length))?;
        self.at += 4;
        usize::try_from(length).ok()
    }

    fn name(&mut self) -> Option<()> {
        let length = usize::from(self.byte()?);
        let mut rest = self.bytes.get_mut(self.at..self.at + length)?;
        while let Err(error) = std::str::from_utf8(rest) {
            let bad = error.valid_up_to();
            let count = error.error_len().unwrap_or(rest.len() - bad);
            rest[bad..bad + count].fill(b'?');
            rest = &mut rest[bad + count..];
            self.repaired = true;
        }
        self.skip(length)
    }

    fn names(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.name())
    }
}

fn method(cursor: &mut Cursor<'_>) -> Option<()> {
    let method = *cursor.bytes.first_chunk::<4>()?;
    cursor.skip(4)?;
    match method {
        DELIVER => {
            cursor.name()?;
            cursor.skip(8 + 1)?; // tag, redelivered
            cursor.names(2)
        }
        GET_OK => {
            cursor.skip(8 + 1)?;
            cursor.names(2)
        }
        RETURN => {
            cursor.skip(2)?; // code
            cursor.names(3)
        }
        CANCEL => cursor.name(),
        CONNECTION_START => {
            cursor.skip(2)?; // version
            table(cursor)
        }
        CHANNEL_CLOSE | CONNECTION_CLOSE => {
            cursor.skip(2)?;
            cursor.name()
        }
        _ => None,
    }
}

fn header(cursor: &mut Cursor<'_>) -> Option<()> {
    const FLAGS: usize = 2 + 2 + 8; // behind class, weight and body size
    cursor.skip(FLAGS)?;
    let flags = u16::from_be_bytes([cursor.byte()?, cursor.byte()?]);
    for bit in (2..16).rev().filter(|bit| flags & (1 << bit) != 0) {
        match bit {
            13 => table(cursor)?,
            12 | 11 => cursor.skip(1)?, // delivery mode, priority
            6 => cursor.skip(8)?,       // timestamp
            _ => cursor.name()?,
        }
    }
    Some(())
}

/// A table or list that is being read: where it ends, and whether its values have names.
struct Open {
    end: usize,
    keyed: bool,
}

fn table(cursor: &mut Cursor<'_>) -> Option<()> {
    let length = cursor.length()?;
    let end = cursor.at.checked_add(length)?;
    let mut open = vec![Open { end, keyed: true }];
    while let Some(&Open { end, keyed }) = open.last() {
        if cursor.at >= end {
            open.pop();
            continue;
        }
        if keyed {
            cursor.name()?;
        }
        let kind_at = cursor.at;
        match cursor.byte()? {
            b'V' => {}
            b't' | b'b' | b'B' => cursor.skip(1)?,
            b's' | b'u' | b'U' => cursor.skip(2)?,
            b'I' | b'i' | b'f' => cursor.skip(4)?,
            b'l' | b'L' | b'd' | b'T' => cursor.skip(8)?,
            b'D' => cursor.skip(5)?,
            b'S' | b'x' => {
                let length = cursor.length()?;
                cursor.skip(length)?;
            }
            kind @ (b'F' | b'A') => {
                let length = cursor.length()?;
                if open.len() < MAX_DEPTH {
                    open.push(Open { end: cursor.at.checked_add(length)?, keyed: kind == b'F' });
                } else {
                    *cursor.bytes.get_mut(kind_at)? = b'x';
                    cursor.repaired = true;
                    cursor.skip(length)?;
                }
            }
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
