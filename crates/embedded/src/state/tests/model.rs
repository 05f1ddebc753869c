//! Random steps against a model of one queue that is written as plainly as possible.

use super::{Bench, Terms, message, to};
use crate::state::ConsumerId;
use crate::state::links::gone;
use crate::state::shape::Shape;
use hearken_core::delivery::Settlement;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use std::collections::BTreeMap;
use std::task::Poll;
use std::time::Duration;

const CONSUMERS: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    Publish { time_to_live: Option<u64> },
    Redeliver { after: u64 },
    Open { prefetch: u16, priority: i32 },
    Poll { consumer: usize },
    Settle { consumer: usize, which: usize, back: bool },
    Cancel { consumer: usize },
    Drop { consumer: usize },
    Cut,
    TimeOut,
    Wait { millis: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let consumer = 0..CONSUMERS;
    let step = prop_oneof![
        5 => Just(Step::Publish { time_to_live: None }),
        2 => (0u64..12).prop_map(|millis| Step::Publish { time_to_live: Some(millis) }),
        2 => (0u64..12).prop_map(|after| Step::Redeliver { after }),
        3 => (1u16..4, -1i32..2).prop_map(|(prefetch, priority)| Step::Open { prefetch, priority }),
        6 => consumer.clone().prop_map(|consumer| Step::Poll { consumer }),
        5 => (consumer.clone(), 0usize..4, any::<bool>())
            .prop_map(|(consumer, which, back)| Step::Settle { consumer, which, back }),
        1 => consumer.clone().prop_map(|consumer| Step::Cancel { consumer }),
        1 => consumer.prop_map(|consumer| Step::Drop { consumer }),
        1 => Just(Step::Cut),
        1 => Just(Step::TimeOut),
        3 => (1u64..6).prop_map(|millis| Step::Wait { millis }),
    ];
    vec(step, 1..120)
}

#[derive(Clone, Debug, PartialEq)]
struct Item {
    place: u64,
    id: u64,
    dies: Option<u64>,
    redelivered: bool,
    returns: u64,
}

struct Reader {
    id: ConsumerId,
    age: usize,
    prefetch: usize,
    priority: i32,
    open: bool,
    failed: bool,
    error: bool,
    buffer: Vec<Item>,
    held: Vec<(u64, Item)>,
}

impl Reader {
    fn room(&self) -> bool {
        self.open && self.buffer.len() + self.held.len() < self.prefetch
    }
}

/// What the queue should be: sorted lists, searched from end to end.
#[derive(Default)]
struct Model {
    now: u64,
    last: u64,
    ready: Vec<Item>,
    delayed: Vec<(u64, Item)>,
    readers: BTreeMap<usize, Reader>,
    turns: Vec<usize>,
    opened: usize,
    single_active: bool,
    active: Option<usize>,
    expired: Vec<u64>,
}

impl Model {
    fn item(&mut self, dies: Option<u64>, redelivered: bool) -> Item {
        self.last += 1;
        Item { place: 0, id: self.last, dies, redelivered, returns: 0 }
    }

    fn arrive(&mut self, mut item: Item) {
        self.last += 1;
        item.place = self.last;
        self.ready.push(item);
        self.run();
    }

    fn give_back(&mut self, items: Vec<Item>) {
        let back = |item: Item| Item { redelivered: true, returns: item.returns + 1, ..item };
        self.ready.extend(items.into_iter().map(back));
        self.ready.sort_by_key(|item| item.place);
    }

    /// Buries what has expired, unless it was requeued or published into a waiting consumer's hands.
    fn run(&mut self) {
        if self.active.is_none_or(|active| self.readers.get(&active).is_none_or(|reader| !reader.open)) {
            let open = self.readers.iter().filter(|(_, reader)| reader.open);
            let next = open.min_by_key(|(_, reader)| (-reader.priority, reader.age));
            self.active = next.map(|(at, _)| *at);
        }
        self.turns.retain(|turn| self.readers.get(turn).is_some_and(Reader::room));
        for (at, reader) in &self.readers {
            let served = !self.single_active || self.active == Some(*at);
            if served && reader.room() && !self.turns.contains(at) {
                self.turns.push(*at);
            }
        }
        let now = self.now;
        let dead = |item: &Item| item.dies.is_some_and(|dies| dies <= now);
        // A message that expires as it comes still reaches a consumer that waits, if nothing stands before it.
        let fresh = self.ready.len() == 1 && !self.ready[0].redelivered && !self.turns.is_empty();
        if !fresh {
            let (dead, ready) = std::mem::take(&mut self.ready).into_iter().partition(dead);
            self.ready = ready;
            let mut dead: Vec<Item> = dead;
            dead.sort_by_key(|item| (item.dies, item.place));
            self.expired.extend(dead.iter().map(|item| item.id));
        }
        while !self.turns.is_empty() && !self.ready.is_empty() {
            let highest = self.turns.iter().map(|turn| self.readers[turn].priority).max();
            let first = self.turns.iter().position(|turn| Some(self.readers[turn].priority) == highest);
            let turn = self.turns.remove(first.unwrap());
            let reader = self.readers.get_mut(&turn).unwrap();
            reader.buffer.push(self.ready.remove(0));
            if reader.room() {
                self.turns.push(turn);
            }
        }
    }

    fn wait(&mut self, millis: u64) {
        for _ in 0..millis {
            self.now += 1;
            self.run();
            let now = self.now;
            let (due, delayed) =
                std::mem::take(&mut self.delayed).into_iter().partition(|(due, _)| *due <= now);
            self.delayed = delayed;
            let due: Vec<(u64, Item)> = due;
            for (_, item) in due {
                self.arrive(item);
            }
        }
    }

    fn everywhere(&self) -> Vec<u64> {
        let readers = self.readers.values();
        let held =
            readers.flat_map(|reader| reader.buffer.iter().chain(reader.held.iter().map(|(_, item)| item)));
        let items = self.ready.iter().chain(self.delayed.iter().map(|(_, item)| item)).chain(held);
        items.map(|item| item.id).collect()
    }
}

fn do_step(
    bench: &mut Bench,
    model: &mut Model,
    step: &Step,
) -> Result<(), proptest::test_runner::TestCaseError> {
    match *step {
        Step::Publish { time_to_live } => {
            let item = model.item(time_to_live.map(|millis| model.now + millis), false);
            let mut message = message(&item.id.to_string());
            message.properties_mut().time_to_live = time_to_live.map(Duration::from_millis);
            bench.publish(to(super::Q, message)).unwrap();
            model.arrive(item);
        }
        Step::Redeliver { after } => {
            let item = model.item(None, true);
            bench.redeliver(&item.id.to_string(), after);
            if after == 0 {
                model.arrive(item);
            } else {
                let due = model.now + after;
                let at = model.delayed.partition_point(|(other, _)| *other <= due);
                model.delayed.insert(at, (due, item));
            }
        }
        Step::Open { prefetch, priority } => {
            let Some(at) = (0..CONSUMERS).find(|at| !model.readers.contains_key(at)) else { return Ok(()) };
            if bench.state.check_open(bench.link).is_err() {
                bench.link = bench.state.open_link().unwrap();
            }
            let id = bench.consumer_with(Terms { prefetch, priority, exclusive: false });
            model.opened += 1;
            let reader = Reader {
                id,
                age: model.opened,
                prefetch: prefetch.into(),
                priority,
                open: true,
                failed: false,
                error: false,
                buffer: vec![],
                held: vec![],
            };
            model.readers.insert(at, reader);
            model.run();
        }
        Step::Poll { consumer } => {
            let Some(reader) = model.readers.get_mut(&consumer) else { return Ok(()) };
            match bench.next(reader.id) {
                Poll::Ready(Some(Ok(delivery))) => {
                    prop_assert_eq!(reader.buffer.is_empty(), false);
                    let item = reader.buffer.remove(0);
                    let got = (super::body(&delivery.message), delivery.redelivered, delivery.delivery_count);
                    prop_assert_eq!(got, (item.id.to_string(), item.redelivered, item.returns));
                    reader.held.push((delivery.receipt.tag(), item));
                }
                Poll::Ready(Some(Err(_))) => {
                    prop_assert_eq!(reader.error, true);
                    reader.error = false;
                }
                Poll::Ready(None) => prop_assert_eq!((reader.open, reader.buffer.len()), (false, 0)),
                Poll::Pending => prop_assert_eq!((reader.open, reader.buffer.len()), (true, 0)),
            }
        }
        Step::Settle { consumer, which, back } => {
            let Some(reader) = model.readers.get_mut(&consumer) else { return Ok(()) };
            if which >= reader.held.len() {
                return Ok(());
            }
            let (id, (tag, item)) = (reader.id, reader.held.remove(which));
            bench.settle(id, tag, if back { Settlement::Requeue } else { Settlement::Acknowledge });
            if back {
                model.give_back(vec![item]);
            }
            model.run();
        }
        Step::Cancel { consumer } => {
            let Some(reader) = model.readers.get_mut(&consumer) else { return Ok(()) };
            reader.open = false;
            let id = reader.id;
            bench.step(|state, now| state.cancel(id, now));
            model.run();
        }
        Step::Drop { consumer } => {
            let Some(reader) = model.readers.remove(&consumer) else { return Ok(()) };
            bench.step(|state, now| state.detach(reader.id, now));
            model.give_back(reader.held.into_iter().map(|(_, item)| item).chain(reader.buffer).collect());
            model.run();
        }
        Step::Cut | Step::TimeOut => {
            if matches!(step, Step::Cut) {
                bench.step(crate::state::State::cut_links);
            } else {
                bench.step(|state, now| state.end_consumers_of(super::Q, gone, now));
            }
            let mut items = Vec::new();
            for reader in model.readers.values_mut() {
                reader.error |= !reader.failed;
                reader.failed = true;
                reader.open = false;
                items.extend(reader.held.drain(..).map(|(_, item)| item));
                items.append(&mut reader.buffer);
            }
            model.give_back(items);
            model.run();
        }
        Step::Wait { millis } => {
            for _ in 0..millis {
                bench.wait(1);
                model.wait(1);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_nothing_is_doubled_and_the_order_is_kept(single_active: bool, steps in steps()) {
        let mut bench = Bench::new();
        let queue = bench.state.ensure_queue(super::Q);
        bench.state.queues.get_mut(queue).unwrap().shape = Some(Shape { single_active, ..Shape::default() });
        bench.state.declare_queue(super::Q, Some("dead")).unwrap();
        let mut model = Model { single_active, ..Model::default() };
        for step in &steps {
            do_step(&mut bench, &mut model, step)?;
            let ready: Vec<_> = model.ready.iter().map(|item| item.id.to_string()).collect();
            prop_assert_eq!(bench.ready(super::Q), ready, "after {:?}", step);
            let stats = bench.stats();
            let held = stats.ready + stats.unacknowledged + stats.delayed;
            prop_assert_eq!(held, model.everywhere().len(), "after {:?}", step);
        }
        let mut dead: Vec<u64> = bench.ready("dead").iter().map(|id| id.parse().unwrap()).collect();
        dead.sort_unstable();
        model.expired.sort_unstable();
        prop_assert_eq!(&dead, &model.expired);

        // Whatever was neither acknowledged nor expired is still there, each once.
        let mut rest = model.everywhere();
        rest.sort_unstable();
        bench.step(crate::state::State::cut_links);
        for reader in model.readers.values() {
            bench.step(|state, now| state.detach(reader.id, now));
        }
        bench.wait(20);
        let mut found = bench.ready(super::Q);
        found.extend(bench.ready("dead").split_off(dead.len()));
        let mut found: Vec<u64> = found.iter().map(|id| id.parse().unwrap()).collect();
        found.sort_unstable();
        prop_assert_eq!(found, rest);
    }
}
