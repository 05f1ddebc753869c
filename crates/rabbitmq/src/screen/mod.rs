//! The frame screen: every byte that lapin reads has passed [`Frames::screen`].

mod cut;
mod frames;
#[cfg(test)]
mod fuzz;
mod reactor;
mod release;
mod repairs;
mod scan;

pub(crate) use cut::Cut;
pub(crate) use reactor::runtime;
pub(crate) use release::Release;
pub(crate) use repairs::Repairs;

use async_rs::{Tokio, traits::Reactor};
use frames::Frames;
use futures_io::{AsyncRead, AsyncWrite};
use lapin::tcp::AsyncTcpStream;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

pub(crate) type Inner = AsyncTcpStream<<Tokio as Reactor>::TcpStream>;

/// Holds the largest frame usually negotiated (128 KiB) twice.
const BUFFER: usize = 256 * 1024;

/// A stream whose reader sees only repaired frames.
pub(crate) struct Screen {
    inner: Inner,
    frames: Frames,
    buffer: Vec<u8>,
    // buffer[start..safe] may be read, buffer[safe..end] waits for the rest of its frame.
    start: usize,
    safe: usize,
    end: usize,
    ended: bool,
    cut: Arc<Cut>,
}

impl Screen {
    pub(crate) fn new(inner: Inner, repairs: Arc<Repairs>, release: Arc<Release>, cut: Arc<Cut>) -> Self {
        let frames = Frames::new(repairs, release);
        Self { inner, frames, buffer: vec![0; BUFFER], start: 0, safe: 0, end: 0, ended: false, cut }
    }

    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            self.safe = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.end * 2, 0);
        }
    }
}

impl AsyncRead for Screen {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut [u8]) -> Poll<io::Result<usize>> {
        let screen = &mut *self;
        loop {
            if screen.start < screen.safe {
                let count = out.len().min(screen.safe - screen.start);
                out[..count].copy_from_slice(&screen.buffer[screen.start..screen.start + count]);
                screen.start += count;
                return Poll::Ready(Ok(count));
            }
            if screen.ended {
                return Poll::Ready(Ok(0));
            }
            screen.cut.check(cx)?;
            screen.make_room();
            let count = ready!(Pin::new(&mut screen.inner).poll_read(cx, &mut screen.buffer[screen.end..]))?;
            screen.end += count;
            screen.ended = count == 0;
            // After the end, half a frame helps nobody.
            screen.safe += screen.frames.screen(&mut screen.buffer[screen.safe..screen.end])?;
        }
    }
}

impl AsyncWrite for Screen {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_close(cx)
    }
}
