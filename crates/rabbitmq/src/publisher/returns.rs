use super::Job;
use lapin::message::BasicReturnMessage;

/// What became of the messages of a batch, as far as returns tell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Returned {
    /// By the place in the batch.
    pub(super) jobs: Vec<bool>,
    /// Returns that are like none of the messages sent: the broker changed something on them.
    pub(super) strangers: usize,
}

/// Finds the messages that came back, by their content. Two equal messages are not told apart, and need not be: equal
/// numbers of them were sent, came back, and did not.
pub(super) fn matched<'a>(
    jobs: impl Iterator<Item = &'a Job>,
    returned: Vec<BasicReturnMessage>,
) -> Returned {
    let mut left = returned;
    let jobs = jobs.map(|job| match left.iter().position(|message| same(job, message)) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    });
    let jobs = jobs.collect();
    Returned { jobs, strangers: left.len() }
}

fn same(job: &Job, message: &BasicReturnMessage) -> bool {
    message.routing_key == job.routing_key
        && message.exchange == job.exchange
        && message.data == job.body
        && message.properties == job.properties
}
