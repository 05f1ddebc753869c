use super::arguments::Arguments;
use super::{Declarer, Names};
use crate::delay::{LEVELS, level_pattern};
use hearken_core::transport::{QueueType, TransportError};
use lapin::ExchangeKind;

/// The exchange that copies arrive through, and the place of those whose queue is gone: without it one deleted queue
/// would stop every level for all.
pub(crate) async fn declare_deliver(declarer: &Declarer, names: &Names) -> Result<(), TransportError> {
    let orphans = names.orphans();
    declarer.exchange(&orphans, ExchangeKind::Fanout, Arguments::new()).await?;
    declarer.queue(&orphans, Arguments::queue(QueueType::Quorum)).await?;
    declarer.bind(&orphans, &orphans, "").await?;
    let deliver = Arguments::new().text("alternate-exchange", &orphans);
    declarer.exchange(names.deliver(), ExchangeKind::Topic, deliver).await
}

/// The delay levels, from the lowest: none is reachable before what it leads to.
pub(crate) async fn declare_levels(declarer: &Declarer, names: &Names) -> Result<(), TransportError> {
    for level in 0..LEVELS {
        let name = names.level(level);
        let next = names.entrance(level.checked_sub(1));
        declarer.exchange(&name, ExchangeKind::Topic, Arguments::new()).await?;
        // At least once needs all three: a quorum queue, the strategy, and an overflow that does not drop. No routing
        // key: the message keeps its own.
        let queue = Arguments::queue(QueueType::Quorum)
            .number("x-message-ttl", 1000 << level)
            .text("x-dead-letter-exchange", &next)
            .text("x-dead-letter-strategy", "at-least-once")
            .text("x-overflow", "reject-publish");
        declarer.queue(&name, queue).await?;
        declarer.bind(&name, &name, &level_pattern(level, true)).await?;
        declarer.bind_exchange(&next, &name, &level_pattern(level, false)).await?;
    }
    Ok(())
}
