//! Publishes bytes that no client library would send.

use hearken_rabbitmq::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A hand-made connection with channel 1 open.
pub struct Raw(TcpStream);

pub fn short(text: &[u8]) -> Vec<u8> {
    [&[u8::try_from(text.len()).unwrap()], text].concat()
}

pub fn long(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
}

/// A header whose value is nested this deep, in tables (`F`) or lists (`A`).
pub fn nested(kind: u8, depth: usize) -> Vec<u8> {
    let key = if kind == b'F' { short(b"k") } else { Vec::new() };
    let inner = (1..depth).fold(Vec::new(), |inner, _| [&key[..], &[kind], &long(&inner)].concat());
    [&short(b"k")[..], &[kind], &long(&inner)].concat()
}

/// The version that the broker names in the properties of a connection.
pub async fn server_version(url: &str) -> String {
    let (_, start) = Raw::greet(url).await;
    let name = [short(b"version"), b"S".to_vec()].concat();
    let at = start.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    let length = u32::from_be_bytes(start[at..at + 4].try_into().unwrap()) as usize;
    String::from_utf8(start[at + 4..at + 4 + length].to_vec()).unwrap()
}

impl Raw {
    /// Returns the arguments of `connection.start`, too.
    async fn greet(url: &str) -> (Self, Vec<u8>) {
        let url: Url = url.parse().unwrap();
        let mut raw = Self(TcpStream::connect(url.authority()).await.unwrap());
        raw.0.write_all(b"AMQP\x00\x00\x09\x01").await.unwrap();
        let start = raw.expect([10, 10]).await;
        (raw, start)
    }

    pub async fn connect(url: &str) -> Self {
        let (mut raw, _) = Self::greet(url).await;
        let response = [b"\0guest\0guest".as_slice()].concat();
        let start_ok = [long(b""), short(b"PLAIN"), long(&response), short(b"en_US")].concat();
        raw.method(0, [10, 11], &start_ok).await;
        let tune = raw.expect([10, 30]).await;
        raw.method(0, [10, 31], &tune).await;
        raw.method(0, [10, 40], &[short(b"/"), vec![0, 0]].concat()).await;
        raw.expect([10, 41]).await;
        raw.method(1, [20, 10], &[0]).await;
        raw.expect([20, 11]).await;
        raw
    }

    /// Publishes an empty message with this content type and these raw headers.
    pub async fn publish(&mut self, exchange: &[u8], key: &[u8], content_type: &[u8], headers: &[u8]) {
        let publish = [vec![0, 0], short(exchange), short(key), vec![0]].concat();
        self.method(1, [60, 40], &publish).await;
        let flags = (1u16 << 15) | (1 << 13);
        let header = [
            &[0, 60, 0, 0][..],
            &0u64.to_be_bytes(),
            &flags.to_be_bytes(),
            &short(content_type),
            &long(headers),
        ];
        self.frame(2, 1, &header.concat()).await;
    }

    /// Closes the channel: all that was published before has arrived.
    pub async fn close(mut self) {
        self.method(1, [20, 40], &[vec![0, 200], short(b""), vec![0; 4]].concat()).await;
        self.expect([20, 41]).await;
    }

    async fn method(&mut self, channel: u16, [class, method]: [u8; 2], arguments: &[u8]) {
        self.frame(1, channel, &[&[0, class, 0, method], arguments].concat()).await;
    }

    async fn frame(&mut self, kind: u8, channel: u16, payload: &[u8]) {
        let frame = [&[kind][..], &channel.to_be_bytes(), &long(payload), &[0xce]].concat();
        self.0.write_all(&frame).await.unwrap();
    }

    async fn expect(&mut self, [class, method]: [u8; 2]) -> Vec<u8> {
        let mut start = [0; 7];
        self.0.read_exact(&mut start).await.unwrap();
        let size = u32::from_be_bytes(start[3..7].try_into().unwrap()) as usize;
        let mut rest = vec![0; size + 1];
        self.0.read_exact(&mut rest).await.unwrap();
        assert_eq!(rest[..4], [0, class, 0, method], "{}", String::from_utf8_lossy(&rest));
        rest[4..size].to_vec()
    }
}
