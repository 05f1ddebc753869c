//! The settings of one listener.

use std::sync::Arc;

use hearken_core::redelivery::ZeroDelay;
use hearken_core::transport::{Binding, BindingKind, QueueLifetime, QueueType};

use super::effective::{Effective, Rank, Scope};
use super::key::Table;
use super::names::{did_you_mean, dotted, quoted_list};
use super::place::Place;
use super::policies::{DEFAULT, Policies};
use super::problem::{Problem, Report};
use super::registered::Registered;
use super::resolve::Resolver;
use super::settings::{ListenerSettings, MissingQueue, RedeliveryMode};
use super::spot::Spot;
use super::{consumer, dead_letter, map, native, patience, proportions, recovery, scaling};

/// Reads the settings of one listener, or what can be known of them.
pub(crate) struct Reader<'a> {
    pub(crate) resolver: &'a Resolver,
    pub(crate) policies: &'a Policies,
    pub(crate) registered: &'a Registered,
    pub(crate) scope: Scope<'a>,
    pub(crate) report: &'a mut Report,
}

impl<'a> Reader<'a> {
    pub(super) fn place(&self) -> Place<'a> {
        Place { resolver: self.resolver, scope: Some(self.scope) }
    }

    pub(super) fn get(&self, key: &str) -> Option<Effective> {
        self.place().get(key)
    }

    pub(super) fn path(&self, key: &str) -> String {
        dotted(&[Table::Listener.word(), self.scope.id, key])
    }

    pub(super) fn path_of(&self, key: &str, effective: &Effective) -> String {
        self.place().path_of(key, effective)
    }

    /// `None` when there is no queue, which was reported unless the attribute is unknown.
    pub(crate) fn settings(mut self) -> Option<ListenerSettings> {
        self.check_own_values();
        let binding = self.binding();
        let policy = self.policy();
        map::check_choice(self.place(), self.report);
        self.registered.check(self.place(), self.report);
        consumer::check(&mut self);
        let lifetime = consumer::lifetime(&self);
        let queue = self.queue(lifetime);
        scaling::check(self.place(), self.report);
        proportions::check(self.place(), self.report);
        patience::check(&mut self, &policy);
        native::check(&mut self, &policy);
        let back_off = recovery::back_off(self.place(), self.report);
        let dead_letter = dead_letter::target(&mut self, queue.as_deref(), &policy);
        Some(ListenerSettings {
            id: self.scope.id.to_owned(),
            queue: queue?,
            queue_type: QueueType::from_name(&self.text("queueType")).unwrap_or_default(),
            lifetime,
            binding,
            exclusive: self.boolean("exclusive"),
            single_active_consumer: self.boolean("singleActiveConsumer"),
            consumer_priority: self
                .get("consumerPriority")
                .and_then(|value| i32::try_from(value.integer()).ok()),
            concurrency: self.get("concurrency").map(|value| value.concurrency()).unwrap_or_default(),
            idle_consumer_limit: self.count("idleConsumerLimit"),
            idle_receives_per_task_limit: self.count("idleReceivesPerTaskLimit"),
            prefetch: u16::try_from(self.integer("prefetch")).unwrap_or(1),
            receive_timeout: self.duration("receiveTimeout"),
            recovery_interval: self.duration("recoveryInterval"),
            back_off,
            policy,
            redelivery_mode: RedeliveryMode::from_name(&self.text("redeliveryMode")).unwrap_or_default(),
            non_blocking: self.boolean("nonBlockingRedelivery"),
            zero_delay: ZeroDelay::from_name(&self.text("zeroDelay")).unwrap_or_default(),
            transaction_manager: self.text("transactionManager"),
            error_handler: self.name("errorHandler"),
            exception_listener: self.name("exceptionListener"),
            shutdown_timeout: self.duration("shutdownTimeout"),
            handler_timeout: Some(self.duration("handlerTimeout")).filter(|timeout| !timeout.is_zero()),
            dead_letter,
            hold_limit: self.duration("holdLimit"),
            accept_messages_while_stopping: self.boolean("acceptMessagesWhileStopping"),
            auto_startup: self.boolean("autoStartup"),
            phase: i32::try_from(self.integer("phase")).unwrap_or(i32::MAX),
            missing_queue: MissingQueue::from_name(&self.text("missingQueue")).unwrap_or_default(),
        })
    }

    fn text(&self, key: &str) -> String {
        self.name(key).unwrap_or_default()
    }

    fn name(&self, key: &str) -> Option<String> {
        self.get(key).map(|value| value.text().to_owned())
    }

    fn integer(&self, key: &str) -> i64 {
        self.get(key).map(|value| value.integer()).unwrap_or_default()
    }

    fn count(&self, key: &str) -> u32 {
        u32::try_from(self.integer(key)).unwrap_or(1)
    }

    fn boolean(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.boolean())
    }

    fn duration(&self, key: &str) -> std::time::Duration {
        self.get(key).map(|value| value.duration()).unwrap_or_default()
    }

    /// Values of files were checked as a whole; those of the attribute and of a late registration are checked here.
    fn check_own_values(&mut self) {
        let rows: Vec<_> = self.resolver.keys.rows(Table::Listener).into_iter().copied().collect();
        for row in rows {
            // A placeholder of the attribute that something more specific replaces is not read.
            if let Some((given, _)) = self.resolver.candidates(self.scope, row.key).into_iter().next()
                && let Spot::Attribute(_) | Spot::Builder = &given.value
                && let Err(fault) = self.resolver.value(&row, &given)
            {
                let problem = Problem::error(&given.value, self.path(row.key), fault.message);
                self.report.add(problem.help(fault.help));
            }
        }
        let options = self.scope.descriptor.map(|descriptor| descriptor.options).unwrap_or_default();
        for option in options {
            if let (None, Some(descriptor)) =
                (self.resolver.keys.row(Table::Listener, option.key), self.scope.descriptor)
            {
                let message = format!("unknown option `{}`", option.key);
                self.report.add(Problem::error(&Spot::Attribute(descriptor), self.path(option.key), message));
            }
        }
    }

    fn queue(&mut self, lifetime: QueueLifetime) -> Option<String> {
        if lifetime == QueueLifetime::Temporary {
            return Some(String::new());
        }
        let queue = self.get("queue").map(|queue| queue.text().to_owned());
        // A value that is wrong is no missing one.
        let given = !self.resolver.candidates(self.scope, "queue").is_empty();
        if let (false, Some(descriptor)) = (given, self.scope.descriptor) {
            let problem =
                Problem::error(&Spot::Attribute(descriptor), self.path("queue"), "the listener has no queue");
            let help = format!("write queue = \"…\" in the attribute or under [listeners.{}]", self.scope.id);
            self.report.add(problem.help(help));
        }
        queue
    }

    fn binding(&mut self) -> Option<Binding> {
        let (exchange, key, pattern) = (self.get("exchange"), self.get("routingKey"), self.get("binding"));
        if let (Some(key), Some(pattern)) = (&key, &pattern) {
            let message = format!("`binding` contradicts `routingKey`, given at {}", key.key.source());
            let problem = Problem::error(&pattern.key, self.path("binding"), message);
            let help = "routingKey is for a direct exchange, binding for a topic exchange: remove one";
            self.report.add(problem.help(help.to_owned()));
            return None;
        }
        let without = [("routingKey", &key), ("binding", &pattern)];
        if let (None, Some(_)) = (&exchange, self.scope.descriptor) {
            for (name, value) in without {
                if let Some(value) = value {
                    let message = format!("`{name}` needs an `exchange`");
                    let problem = Problem::error(&value.key, self.path(name), message);
                    self.report.add(problem.help("name the exchange that fills the queue".to_owned()));
                }
            }
        }
        let (kind, key) = match (key, pattern) {
            (Some(key), _) => (BindingKind::Direct, key.text().to_owned()),
            (None, Some(pattern)) => (BindingKind::Topic, pattern.text().to_owned()),
            (None, None) => (BindingKind::Fanout, String::new()),
        };
        Some(Binding { exchange: exchange?.text().to_owned(), kind, key })
    }

    fn policy(&mut self) -> Arc<hearken_core::redelivery::RedeliveryPolicy> {
        let named = self.get("redelivery");
        let name = named.as_ref().map_or(DEFAULT, Effective::text);
        if let Some(policy) = self.policies.get(name) {
            return Arc::clone(policy);
        }
        // What the map says was checked as a whole.
        if let Some(named) = named.as_ref().filter(|named| named.rank != Rank::Map) {
            let names: Vec<_> = self.policies.keys().map(String::as_str).collect();
            let problem = no_policy(&named.spot, self.path_of("redelivery", named), name, &names);
            self.report.add(problem);
        }
        self.policies.get(DEFAULT).cloned().unwrap_or_default()
    }
}

/// What is said of the name of a policy that there is none of.
pub(crate) fn no_policy(spot: &Spot, path: String, name: &str, names: &[&str]) -> Problem {
    let message = format!("there is no policy `{name}`");
    let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| {
        format!("add [redelivery.{}]; there are: {}", dotted(&[name]), quoted_list(names.iter().copied()))
    });
    Problem::error(spot, path, message).help(help)
}
