//! `[redelivery.NAME]`: the policies.

use std::collections::BTreeMap;
use std::sync::Arc;

use hearken_core::redelivery::{Condition, Formula, Ladder, OnExhausted, PolicyWarning, RedeliveryPolicy};

use super::effective::{Effective, Scope};
use super::inline::{self, Inline};
use super::key::Table;
use super::names::{self, dotted};
use super::problem::{Problem, Report};
use super::registered::Registered;
use super::resolve::Resolver;
use super::rules;
use super::spot::Spot;

/// The policies by name.
pub(crate) type Policies = BTreeMap<String, Arc<RedeliveryPolicy>>;

/// The name of the policy that listeners have unless they name another.
pub(crate) const DEFAULT: &str = "default";

/// Keys that a preset replaces.
const REPLACED: [&str; 7] = [
    "maximumRedeliveries",
    "initialRedeliveryDelay",
    "redeliveryDelay",
    "maximumRedeliveryDelay",
    "useExponentialBackOff",
    "backOffMultiplier",
    "formula",
];

/// The policies of the configuration, and over them those of the application's code.
pub(crate) fn all(
    resolver: &Resolver,
    code: &[RedeliveryPolicy],
    registered: &Registered,
    report: &mut Report,
) -> Policies {
    let mut policies = Policies::new();
    policies.insert(DEFAULT.to_owned(), Arc::new(RedeliveryPolicy::default()));
    for (name, spot) in resolver.merged.named(Table::Redelivery.word()) {
        let reader = Reader { resolver, name, spot: spot.clone(), inline: None, registered, report };
        policies.insert(name.to_owned(), Arc::new(reader.policy()));
    }
    for policy in code {
        for warning in policy.warnings() {
            let path = dotted(&[Table::Redelivery.word(), &policy.name]);
            report.add(Problem::warning(&Spot::Builder, path, warning.to_string()));
        }
        check_predicates(policy, registered, report);
        policies.insert(policy.name.to_string(), Arc::new(policy.clone()));
    }
    policies
}

/// The policy in the attribute of a listener, under its name, unless something more specific takes its place.
pub(crate) fn inline(
    resolver: &Resolver,
    scope: Scope<'_>,
    registered: &Registered,
    report: &mut Report,
) -> Option<(String, Arc<RedeliveryPolicy>)> {
    let inline = inline::counting(resolver, scope)?;
    inline.check(resolver, report);
    let name = inline::name(inline.descriptor);
    let (spot, inline) = (inline.spot(), Some(inline));
    let policy = Reader { resolver, name: &name, spot, inline, registered, report }.policy();
    Some((name, Arc::new(policy)))
}

/// Those that the rules of a policy from code name.
fn check_predicates(policy: &RedeliveryPolicy, registered: &Registered, report: &mut Report) {
    for (index, rule) in policy.rules.iter().enumerate() {
        if let Condition::Predicate(name) = &rule.when {
            let list = [Table::Redelivery.word(), &policy.name, Table::Rule.word()];
            let path = format!("{}.predicate", names::item(&list, index));
            registered.check_predicate(name, &Spot::Builder, path, report);
        }
    }
}

struct Reader<'a> {
    resolver: &'a Resolver,
    name: &'a str,
    spot: Spot,
    /// What the attribute says of it; a table of its name has the last word.
    inline: Option<Inline>,
    registered: &'a Registered,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn get(&self, key: &str) -> Option<Effective> {
        self.resolver.of_table(self.name, key).or_else(|| self.resolver.of_inline(self.inline?, key))
    }

    /// Also a value that is wrong in itself is given.
    fn key_spot(&self, key: &str) -> Option<Spot> {
        let given = self.resolver.merged.get(&[Table::Redelivery.word(), self.name, key]);
        let uri = || Some(self.resolver.of_uri(self.name, key)?.spot);
        let attribute = || Some(self.inline?.given(key)?.key);
        given.map(|given| given.key.clone()).or_else(uri).or_else(attribute)
    }

    fn path(&self, key: &str) -> String {
        match (self.inline, self.key_spot(key)) {
            (Some(inline), Some(Spot::Attribute(_))) => inline.path(key),
            _ => dotted(&[Table::Redelivery.word(), self.name, key]),
        }
    }

    fn policy(mut self) -> RedeliveryPolicy {
        let policy = self.plain();
        let path = [Table::Redelivery.word(), self.name, Table::Rule.word()];
        let Some(list) = self.resolver.merged.list(&path) else {
            return policy;
        };
        let Self { resolver, registered, report, .. } = self;
        let rules = rules::Reader { resolver, path: &path, policy: &policy, registered, report }.rules(list);
        policy.ruled(rules)
    }

    /// Without its rules.
    fn plain(&mut self) -> RedeliveryPolicy {
        let mut policy = RedeliveryPolicy::default().named(self.name.to_owned());
        let integer = |key| self.get(key).map(|effective| effective.integer());
        let boolean = |key| self.get(key).map(|effective| effective.boolean());
        set(&mut policy.maximum_redeliveries, integer("maximumRedeliveries"));
        set(&mut policy.initial_redelivery_delay, integer("initialRedeliveryDelay"));
        set(&mut policy.redelivery_delay, integer("redeliveryDelay"));
        set(&mut policy.maximum_redelivery_delay, integer("maximumRedeliveryDelay"));
        set(&mut policy.use_exponential_back_off, boolean("useExponentialBackOff"));
        set(&mut policy.use_collision_avoidance, boolean("useCollisionAvoidance"));
        set(
            &mut policy.back_off_multiplier,
            self.get("backOffMultiplier").map(|effective| effective.decimal()),
        );
        let percent = integer("collisionAvoidancePercent").and_then(|percent| i16::try_from(percent).ok());
        set(&mut policy.collision_avoidance_percent, percent);
        let formula = self.get("formula").and_then(|effective| Formula::from_name(effective.text()));
        set(&mut policy.formula, formula);
        let exhausted =
            self.get("onExhausted").and_then(|effective| OnExhausted::from_name(effective.text()));
        set(&mut policy.on_exhausted, exhausted);
        set(&mut policy.pre_dispatch_check, boolean("preDispatchCheck"));
        policy.ladder = self.ladder();
        for warning in policy.warnings() {
            self.warn(&warning);
        }
        self.warn_of_loss(&policy);
        policy
    }

    fn ladder(&mut self) -> Option<Ladder> {
        let times = self.get("maxReconsumeTimes");
        let Some(given) = self.key_spot("preset") else {
            if let Some(spot) = self.key_spot("maxReconsumeTimes") {
                let message = "`maxReconsumeTimes` counts the retries of a preset, and there is none";
                let problem = Problem::error(&spot, self.path("maxReconsumeTimes"), message);
                self.report
                    .add(problem.help("write maximumRedeliveries, or add preset = \"aliyun\"".to_owned()));
            }
            return None;
        };
        for key in REPLACED {
            if let Some(spot) = self.key_spot(key) {
                let message = format!("`{key}` contradicts the preset given at {}", given.source());
                let help = match key {
                    "maximumRedeliveries" => "the limit of a preset is maxReconsumeTimes",
                    _ => "a preset has its own waits: remove one of the two",
                };
                self.report.add(Problem::error(&spot, self.path(key), message).help(help.to_owned()));
            }
        }
        let ladder = Ladder::from_name(self.get("preset")?.text())?;
        Some(times.map_or(ladder, |times| ladder.max_reconsume_times(times.integer())))
    }

    /// Nothing is wrong with either, but together they drop a message for one failure.
    fn warn_of_loss(&mut self, policy: &RedeliveryPolicy) {
        if let (OnExhausted::Discard, Some(0), Some(spot)) =
            (policy.on_exhausted, policy.limit(), self.key_spot("onExhausted"))
        {
            let message =
                "every failure that no rule is for discards its message: the policy has no redelivery";
            let problem = Problem::warning(&spot, self.path("onExhausted"), message);
            self.report.add(problem.help("write onExhausted = \"dead-letter\" to keep them".to_owned()));
        }
    }

    fn warn(&mut self, warning: &PolicyWarning) {
        let key = warning.key();
        let growth = || self.key_spot("useExponentialBackOff");
        let spot = self.key_spot(key).or_else(growth).unwrap_or_else(|| self.spot.clone());
        let other = match warning {
            PolicyWarning::CapBelowRedeliveryDelay { .. } => self.key_spot("redeliveryDelay"),
            PolicyWarning::CapBelowInitialDelay { .. } => self.key_spot("initialRedeliveryDelay"),
            _ => None,
        };
        let help = other.map(|other| format!("the delay is given at {}", other.source()));
        self.report.add(Problem::warning(&spot, self.path(key), warning.to_string()).help(help));
    }
}

fn set<T>(property: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *property = value;
    }
}
