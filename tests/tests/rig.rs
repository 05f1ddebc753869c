//! The rig of the chaos tests does what it says.

use hearken_tests::chaos::within;
use hearken_tests::ledger::Ledger;
use hearken_tests::proxy::{Door, Ending, Flow, Proxy};
use hearken_tests::records::{Reader, Records};
use std::io::ErrorKind;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const SOON: Duration = Duration::from_secs(10);
const WHILE: Duration = Duration::from_millis(200);

/// A proxy before a server that sends back what it gets.
async fn echo() -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
            });
        }
    });
    Proxy::start(address).await
}

async fn connect(proxy: &Proxy) -> TcpStream {
    TcpStream::connect(proxy.address()).await.unwrap()
}

async fn say(stream: &mut TcpStream, word: &[u8]) {
    stream.write_all(word).await.unwrap();
}

async fn hear(stream: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut heard = vec![0; count];
    within(SOON, "an echo", stream.read_exact(&mut heard)).await.unwrap();
    heard
}

async fn silent(stream: &mut TcpStream) -> bool {
    tokio::time::timeout(WHILE, stream.read_u8()).await.is_err()
}

#[tokio::test]
async fn what_falls_into_a_hole_arrives_when_it_heals() {
    let proxy = echo().await;
    let mut stream = connect(&proxy).await;
    for hole in [Proxy::mute, Proxy::freeze, |proxy: &Proxy| proxy.down(Flow::HOLE)] {
        hole(&proxy);
        say(&mut stream, b"lost?").await;
        assert!(silent(&mut stream).await);
        proxy.heal().await;
        assert_eq!(hear(&mut stream, 5).await, b"lost?");
    }
    assert_eq!(proxy.connections(), 1);
}

#[tokio::test]
async fn a_latency_delays_each_byte_and_a_drip_spreads_them() {
    let proxy = echo().await;
    let mut stream = connect(&proxy).await;
    proxy.up(Flow { latency: WHILE, jitter: WHILE / 10, ..Flow::OPEN });
    let begin = Instant::now();
    say(&mut stream, b"late").await;
    assert_eq!(hear(&mut stream, 4).await, b"late");
    assert!(begin.elapsed() >= WHILE * 9 / 10);
    proxy.up(Flow::drip(500));
    let begin = Instant::now();
    say(&mut stream, &[1; 250]).await;
    hear(&mut stream, 1).await;
    let first = begin.elapsed();
    hear(&mut stream, 249).await;
    // Beyond what a late writer may catch up.
    assert!(begin.elapsed() - first >= Duration::from_millis(400), "{first:?} {:?}", begin.elapsed());
}

#[tokio::test]
async fn connections_end_as_they_are_told_and_new_ones_pass() {
    let proxy = echo().await;
    for ending in [Ending::Fin, Ending::Reset, Ending::Half] {
        let mut stream = connect(&proxy).await;
        say(&mut stream, b"x").await;
        hear(&mut stream, 1).await;
        proxy.end(ending).await;
        let end = within(SOON, "an end", stream.read(&mut [0])).await;
        match ending {
            Ending::Reset => assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset),
            Ending::Fin | Ending::Half => assert_eq!(end.unwrap(), 0),
        }
        let mut next = connect(&proxy).await;
        say(&mut next, b"y").await;
        assert_eq!(hear(&mut next, 1).await, b"y");
    }
}

#[tokio::test]
async fn the_door_can_be_silent_or_closed_and_open_again() {
    let proxy = echo().await;
    proxy.door(Door::Silent).await;
    let mut stream = connect(&proxy).await;
    say(&mut stream, b"x").await;
    assert!(silent(&mut stream).await);
    proxy.door(Door::Closed).await;
    let refused = TcpStream::connect(proxy.address()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    proxy.heal().await;
    let mut stream = connect(&proxy).await;
    say(&mut stream, b"x").await;
    hear(&mut stream, 1).await;
    assert_eq!(proxy.connections(), 2, "a closed door counts nobody");
}

#[test]
fn records_of_a_process_are_entered_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records");
    let ledger = Ledger::default();
    let mut reader = Reader::new(&path, ledger.clone()).unwrap();
    let (first, second) = (Records::open(&path).unwrap(), Records::open(&path).unwrap());
    first.started(1, 1).unwrap();
    reader.read().unwrap();
    second.started(2, 3).unwrap();
    first.completed(1).unwrap();
    reader.read().unwrap();
    reader.read().unwrap();
    assert_eq!(ledger.order(), [1, 2]);
    assert_eq!(ledger.verdict().completed.len(), 1);
}
