use super::release::Release;
use super::repairs::Repairs;
use super::scan;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

/// The fixed part before and the end mark after a payload.
const BEFORE: usize = 7;
const AFTER: usize = 1;
/// Method and header frames up to this size are looked at whole. RabbitMQ sends oversized header frames, so it lies well
/// above any negotiated size.
const LARGEST: usize = 4 * 1024 * 1024;

/// Follows the frames of one connection.
pub(super) struct Frames {
    repairs: Arc<Repairs>,
    release: Arc<Release>,
    // Bytes of the current frame that pass without a look.
    passing: usize,
    // The delivery whose content header is still to come, by channel, and whether it was repaired already.
    announced: HashMap<u16, (u64, bool)>,
    // Channels that the broker has closed, until they are opened anew.
    closed: HashSet<u16>,
    // Not AMQP frames: lapin refuses them more clearly than we could.
    given_up: bool,
}

impl Frames {
    pub(super) fn new(repairs: Arc<Repairs>, release: Arc<Release>) -> Self {
        let (announced, closed) = (HashMap::new(), HashSet::new());
        Self { repairs, release, passing: 0, announced, closed, given_up: false }
    }

    /// Repairs the frames that are complete in `bytes`; returns how many bytes may be handed on.
    ///
    /// # Errors
    /// For a frame that is too large to look at: lapin would look at it.
    pub(super) fn screen(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut safe = 0;
        while safe < bytes.len() {
            let rest = &mut bytes[safe..];
            if self.given_up {
                return Ok(safe + rest.len());
            }
            if self.passing > 0 {
                let now = rest.len().min(self.passing);
                self.passing -= now;
                safe += now;
                continue;
            }
            let &mut [kind, c0, c1, s0, s1, s2, s3, ..] = rest else { return Ok(safe) };
            let size = u32::from_be_bytes([s0, s1, s2, s3]) as usize;
            let channel = u16::from_be_bytes([c0, c1]);
            match kind {
                scan::METHOD | scan::HEADER if size > LARGEST => {
                    let message = format!("a frame of {size} bytes that is no body");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                scan::METHOD | scan::HEADER => {
                    let Some(payload) = rest.get_mut(BEFORE..).filter(|rest| rest.len() >= size + AFTER)
                    else {
                        return Ok(safe);
                    };
                    if self.is_stray(kind, channel, &payload[..size]) {
                        silence(rest);
                    } else {
                        self.frame(kind, channel, &mut payload[..size]);
                    }
                    safe += BEFORE + size + AFTER;
                }
                scan::BODY | scan::HEARTBEAT => {
                    if kind == scan::BODY && self.closed.contains(&channel) {
                        silence(rest);
                    }
                    self.passing = BEFORE + size + AFTER;
                }
                _ => self.given_up = true,
            }
        }
        Ok(safe)
    }

    /// Whether the broker had closed the channel before. RabbitMQ closes one again for each delivery that was overdue
    /// with the first, and lapin would take the second time for a broken connection.
    fn is_stray(&mut self, kind: u8, channel: u16, payload: &[u8]) -> bool {
        match kind {
            scan::METHOD if scan::opens_channel(payload) => {
                self.closed.remove(&channel);
                false
            }
            scan::METHOD if scan::closes_channel(payload) => !self.closed.insert(channel),
            _ => self.closed.contains(&channel),
        }
    }

    fn frame(&mut self, kind: u8, channel: u16, payload: &mut [u8]) {
        let repaired = scan::repair(kind, payload);
        if kind == scan::METHOD {
            if channel == 0 {
                self.release.read(payload);
            }
            if let Some(tag) = scan::delivery_tag(payload) {
                self.announced.insert(channel, (tag, repaired));
            }
            return;
        }
        if let Some((tag, earlier)) = self.announced.remove(&channel)
            && (earlier || repaired)
        {
            self.repairs.record(channel, tag);
        }
    }
}

/// Makes a heartbeat of a frame, whose payload nobody reads.
fn silence(frame: &mut [u8]) {
    frame[..3].copy_from_slice(&[scan::HEARTBEAT, 0, 0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(kind: u8, channel: u16, payload: &[u8]) -> Vec<u8> {
        let size = (payload.len() as u32).to_be_bytes();
        [&[kind][..], &channel.to_be_bytes(), &size, payload, &[0xce]].concat()
    }

    fn delivery(channel: u16, tag: u64, key: &[u8]) -> Vec<u8> {
        let deliver =
            [&[0, 60, 0, 60, 1, b't'][..], &tag.to_be_bytes(), &[0, 0, key.len() as u8], key].concat();
        let header = [&[0, 60, 0, 0][..], &2u64.to_be_bytes(), &[0, 0]].concat();
        [frame(1, channel, &deliver), frame(2, channel, &header), frame(3, channel, b"\xff\xff")].concat()
    }

    fn through(pieces: &[&[u8]]) -> (Vec<u8>, Arc<Repairs>) {
        let repairs = Arc::new(Repairs::default());
        let mut frames = Frames::new(repairs.clone(), Arc::default());
        let (mut waiting, mut out) = (Vec::new(), Vec::new());
        for piece in pieces {
            waiting.extend_from_slice(piece);
            let safe = frames.screen(&mut waiting).unwrap();
            out.extend(waiting.drain(..safe));
        }
        (out, repairs)
    }

    #[test]
    fn a_repaired_delivery_is_known_by_channel_and_tag() {
        let wire = [delivery(1, 1, b"good"), delivery(2, 1, b"\xff"), delivery(1, 2, b"good")].concat();
        let (out, repairs) = through(&[&wire]);
        assert_eq!(out.len(), wire.len());
        assert!(!repairs.take(1, 1) && !repairs.take(1, 2));
        assert!(repairs.take(2, 1) && !repairs.take(2, 1), "told once");
    }

    #[test]
    fn a_closed_channel_is_forgotten() {
        let (_, repairs) = through(&[&delivery(2, 1, b"\xff")]);
        repairs.forget(2);
        assert!(!repairs.take(2, 1));
    }

    #[test]
    fn what_follows_the_close_of_a_channel_is_silent_until_it_is_opened_anew() {
        let close = |channel| frame(1, channel, b"\0\x14\0\x28\x01\x96\x04late\0\0\0\0");
        let open = |channel| frame(1, channel, b"\0\x14\0\x0b\0\0\0\0");
        let told = [delivery(1, 1, b"k"), close(1)].concat();
        let stray = [close(1), delivery(1, 2, b"\xff"), frame(1, 1, b"\0\x14\0\x29")].concat();
        let on = [close(2), open(1), delivery(1, 1, b"k"), close(1)].concat();
        let (out, repairs) = through(&[&told, &stray, &on]);
        assert_eq!(out.len(), told.len() + stray.len() + on.len());
        assert!(out.starts_with(&told) && out.ends_with(&on));
        let mut silent = &out[told.len()..told.len() + stray.len()];
        while !silent.is_empty() {
            let (rest, frame) = amq_protocol::frame::parse_frame(silent).unwrap();
            assert_eq!(frame, amq_protocol::frame::AMQPFrame::Heartbeat);
            silent = rest;
        }
        assert!(!repairs.take(1, 2));
    }

    #[test]
    fn what_is_not_amqp_passes() {
        let (out, _) = through(&[b"AMQP\0\0\x09\x01 and more"]);
        assert_eq!(out, b"AMQP\0\0\x09\x01 and more");
    }

    #[test]
    fn a_frame_too_large_to_look_at_ends_the_stream() {
        let mut frames = Frames::new(Arc::default(), Arc::default());
        let size = (LARGEST as u32 + 1).to_be_bytes();
        for kind in [scan::METHOD, scan::HEADER] {
            let mut start = [&[kind, 0, 1][..], &size].concat();
            assert_eq!(frames.screen(&mut start).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
        let mut body = [&[scan::BODY, 0, 1][..], &size].concat();
        assert_eq!(frames.screen(&mut body).unwrap(), body.len());
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_stream_is_cut(
            keys in proptest::collection::vec("[a-z]{0,6}", 1..8),
            bad in any::<prop::sample::Index>(),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let bad = bad.index(keys.len());
            let wire: Vec<u8> = keys.iter().enumerate().flat_map(|(at, key)| {
                delivery(1, at as u64 + 1, if at == bad { b"\xfe" } else { key.as_bytes() })
            }).collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len())).collect();
            cuts.extend([0, wire.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &wire[pair[0]..pair[1]]).collect();
            let (out, repairs) = through(&pieces);
            prop_assert_eq!(out.len(), wire.len());
            prop_assert_eq!(out.iter().filter(|byte| **byte == b'?').count(), 1);
            for tag in 1..=keys.len() as u64 {
                prop_assert_eq!(repairs.take(1, tag), tag == bad as u64 + 1);
            }
        }
    }
}
