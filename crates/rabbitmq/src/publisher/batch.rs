use super::returns::{self, Returned};
use super::{Job, Waiting};
use crate::error::{NOT_FOUND, broker_word, say};
use futures_util::future::join_all;
use hearken_core::transport::PublishError;
use lapin::message::BasicReturnMessage;
use lapin::options::BasicPublishOptions;
use lapin::{Channel, Confirmation};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

/// How many messages are in flight together.
pub(super) const MOST: usize = 64;
/// How many bytes of bodies are in flight together, unless one alone has more.
const MOST_BYTES: usize = 1024 * 1024;

/// Messages that are sent together and answered together.
pub(super) struct Batch(Vec<Waiting>);

/// What the broker said about one message.
enum Answer {
    Acked,
    Nacked,
    Failed(lapin::Error),
}

/// What a batch leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aftermath {
    /// Every message was answered, and the channel is as good as before.
    Clean,
    /// Every message was answered, and a queue refused one. A quorum queue that was found to be full goes on refusing a
    /// channel until something happens to the queue, even when its limit was lifted; of another channel it takes messages
    /// at once.
    Nacked,
    /// Not every message was answered: the channel is lost, or nobody knows what is still to come on it.
    Unanswered,
}

impl Aftermath {
    fn of(answers: &[Option<Answer>]) -> Self {
        let all = answers.iter().all(|answer| matches!(answer, Some(Answer::Acked | Answer::Nacked)));
        match answers.iter().any(|answer| matches!(answer, Some(Answer::Nacked))) {
            _ if !all => Self::Unanswered,
            true => Self::Nacked,
            false => Self::Clean,
        }
    }
}

impl Batch {
    /// Takes the next messages off the queue, at most `most` of them, skipping those nobody waits for any more; `None` if
    /// there are none.
    pub(super) fn take(queue: &mut VecDeque<Waiting>, most: usize) -> Option<Self> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(waiting) = queue.pop_front() {
            if waiting.is_withdrawn() {
                continue;
            }
            let alone = waiting.job.travels_alone();
            bytes += waiting.job.body.len();
            if !batch.is_empty() && (alone || bytes > MOST_BYTES) {
                queue.push_front(waiting);
                break;
            }
            // Withdrawn in this moment, perhaps.
            if !waiting.taken.take() {
                continue;
            }
            batch.push(waiting);
            if alone || batch.len() == most {
                break;
            }
        }
        (!batch.is_empty()).then_some(Self(batch))
    }

    /// Sends, waits for every confirm, answers.
    pub(super) async fn run(self, channel: &Channel, limit: Duration) -> Aftermath {
        let returned = Mutex::new(Vec::new());
        let answers = self.send(channel, limit, &returned).await;
        let returned = returned.into_inner().unwrap_or_else(PoisonError::into_inner);
        let aftermath = Aftermath::of(&answers);
        if aftermath == Aftermath::Unanswered {
            self.break_off(&answers, limit);
        } else {
            let returned = returns::matched(self.0.iter().map(|waiting| &waiting.job), returned);
            self.settle(&answers, &returned);
        }
        aftermath
    }

    async fn send(
        &self,
        channel: &Channel,
        limit: Duration,
        returned: &Mutex<Vec<BasicReturnMessage>>,
    ) -> Vec<Option<Answer>> {
        let mut sends = Vec::with_capacity(self.0.len());
        for waiting in &self.0 {
            let mut send = Box::pin(async {
                match tokio::time::timeout(limit, send(channel, &waiting.job)).await {
                    Ok(Ok(Confirmation::Nack(back))) => Some((Answer::Nacked, back)),
                    Ok(Ok(Confirmation::Ack(back))) => Some((Answer::Acked, back)),
                    // Confirms were selected on this channel.
                    Ok(Ok(Confirmation::NotRequested)) => None,
                    Ok(Err(error)) => Some((Answer::Failed(error), None)),
                    Err(_) => None,
                }
            });
            // The first poll queues the frames: this is what keeps the order.
            let early = std::future::poll_fn(|cx| Poll::Ready(send.as_mut().poll(cx))).await;
            sends.push(async move {
                let (answer, back) = match early {
                    Poll::Ready(answer) => answer,
                    Poll::Pending => send.await,
                }?;
                returned.lock().unwrap_or_else(PoisonError::into_inner).extend(back);
                Some(answer)
            });
        }
        join_all(sends).await
    }

    fn settle(self, answers: &[Option<Answer>], returned: &Returned) {
        for ((waiting, answer), returned_) in self.0.into_iter().zip(answers).zip(&returned.jobs) {
            let result = match answer {
                Some(Answer::Nacked) => Err(PublishError::Refused {
                    reason: format!(
                        "the queue for exchange `{}` with routing key `{}` takes no message",
                        waiting.job.exchange, waiting.job.routing_key
                    ),
                }),
                _ if *returned_ => Err(waiting.job.returned()),
                _ if returned.strangers > 0 => {
                    Err(PublishError::unknown("a message came back that is like none that was sent"))
                }
                _ => Ok(()),
            };
            waiting.answer(result);
        }
    }

    /// A batch of which not every message was answered. Confirmed ones count as unknown too: their return may be stuck
    /// behind the missing answers.
    fn break_off(self, answers: &[Option<Answer>], limit: Duration) {
        let failure = answers.iter().flatten().find_map(|answer| match answer {
            Answer::Failed(error) => Some(error),
            _ => None,
        });
        for (waiting, answer) in self.0.into_iter().zip(answers) {
            let answered = matches!(answer, Some(Answer::Acked | Answer::Nacked));
            let result = match failure {
                // The broker closed the channel over this very exchange, or over a message that travelled alone.
                Some(error) if !answered && is_refusal(error, &waiting.job) => {
                    PublishError::Refused { reason: say(error) }
                }
                Some(error) => PublishError::unknown(say(error)),
                None => PublishError::unknown(format!("no confirm within {limit:?}")),
            };
            waiting.answer(Err(result));
        }
    }
}

async fn send(channel: &Channel, job: &Job) -> lapin::Result<Confirmation> {
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    let (exchange, key) = (job.exchange.clone(), job.routing_key.clone());
    channel.basic_publish(exchange, key, options, &job.body, job.properties.clone()).await?.await
}

fn is_refusal(error: &lapin::Error, job: &Job) -> bool {
    match broker_word(error) {
        Some((NOT_FOUND | crate::error::ACCESS_REFUSED, _)) => true,
        Some((crate::error::PRECONDITION_FAILED, _)) => job.travels_alone(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_answer_and_costs_the_channel_only() {
        let acked = || Some(Answer::Acked);
        assert_eq!(Aftermath::of(&[acked(), acked()]), Aftermath::Clean);
        assert_eq!(Aftermath::of(&[acked(), Some(Answer::Nacked)]), Aftermath::Nacked);
        assert_eq!(Aftermath::of(&[Some(Answer::Nacked), None]), Aftermath::Unanswered);
    }
}
