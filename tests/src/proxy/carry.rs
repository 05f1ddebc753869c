//! One direction of one connection.

use super::flow::Flow;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

/// How far a late writer may catch up: timers are too coarse for each byte of a drip to be on time.
const CATCH_UP: Duration = Duration::from_millis(50);

type Chunk = (Instant, Vec<u8>);

/// Carries bytes until either side is gone.
pub(super) async fn carry(from: ReadHalf<'_>, to: WriteHalf<'_>, flow: watch::Receiver<Flow>) {
    // Bounded, so that a slow way out holds up its sender.
    let (sender, receiver) = mpsc::channel(64);
    let (reading, writing) = (read(from, sender, flow.clone()), write(to, receiver, flow));
    tokio::pin!(reading, writing);
    tokio::select! {
        () = &mut writing => return,
        () = &mut reading => {}
    }
    writing.await;
}

async fn read(mut from: ReadHalf<'_>, sender: mpsc::Sender<Chunk>, mut flow: watch::Receiver<Flow>) {
    let mut buffer = vec![0; 64 * 1024];
    let mut last = Instant::now();
    loop {
        let count = from.read(&mut buffer).await.unwrap_or(0);
        // The end of a connection falls into a hole like everything else.
        let Ok(flow) = flow.wait_for(|flow| !flow.hole).await.map(|flow| *flow) else { return };
        last = last.max(Instant::now() + flow.delay(fastrand::f64()));
        if count == 0 {
            return sleep_until(last).await;
        }
        if sender.send((last, buffer[..count].to_vec())).await.is_err() {
            return;
        }
    }
}

async fn write(mut to: WriteHalf<'_>, mut receiver: mpsc::Receiver<Chunk>, mut flow: watch::Receiver<Flow>) {
    let mut free = Instant::now();
    while let Some((due, chunk)) = receiver.recv().await {
        sleep_until(due).await;
        let mut left = &chunk[..];
        while !left.is_empty() {
            let Ok(flow) = flow.wait_for(|flow| !flow.hole).await.map(|flow| *flow) else { return };
            let (packet, rest) = left.split_at(flow.packet(left.len()));
            if to.write_all(packet).await.is_err() {
                return;
            }
            left = rest;
            let cost = flow.cost(packet.len());
            if !cost.is_zero() {
                free = free.max(Instant::now() - CATCH_UP) + cost;
                sleep_until(free).await;
            }
        }
    }
}
