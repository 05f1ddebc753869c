use std::io::{self, Write};
use std::time::Duration;

use hearken_container::config::{Configuration, duration, nearest_name};
use hearken_core::redelivery::{OnExhausted, Random, RedeliveryPolicy, Step, Still, ZeroDelay, take_up};
use serde::Serialize;

use crate::surroundings::tell;
use crate::{PlanArguments, Status, Surroundings};

/// All redeliveries of a policy are shown up to this many; of more, or of endless ones, the first few.
const ALL: u64 = 100;
const FEW: usize = 20;

/// One redelivery for a program to read.
#[derive(Serialize)]
struct Line {
    redelivery: u64,
    delay_ms: i64,
    min_ms: i64,
    max_ms: i64,
    at_ms: i64,
    /// When a wait of 0 is really taken up.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_take_up_ms: Option<u64>,
}

pub(crate) fn plan(
    arguments: &PlanArguments,
    surroundings: &Surroundings<'_>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Status> {
    let loaded = match surroundings.load(arguments.config.as_deref()) {
        Ok(loaded) => loaded,
        Err(problems) => {
            tell(&problems, err)?;
            return Ok(Status::Mistake);
        }
    };
    tell(&loaded.warnings, err)?;
    let configuration = &loaded.configuration;
    let Some(policy) = configuration.policies().get(&arguments.policy) else {
        return no_policy(&arguments.policy, configuration, err);
    };
    let lines = lines(policy, arguments, configuration);
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &lines)?;
        writeln!(out)?;
    } else {
        write_table(policy, &lines, out)?;
    }
    Ok(Status::Success)
}

fn no_policy(name: &str, configuration: &Configuration, err: &mut dyn Write) -> io::Result<Status> {
    let names: Vec<_> = configuration.policies().keys().map(String::as_str).collect();
    writeln!(err, "there is no policy `{name}`")?;
    if let Some(near) = nearest_name(name, names.iter().copied()) {
        writeln!(err, "    did you mean `{near}`?")?;
    }
    writeln!(err, "    policies: {}", names.join(", "))?;
    Ok(Status::Mistake)
}

fn lines(policy: &RedeliveryPolicy, arguments: &PlanArguments, configuration: &Configuration) -> Vec<Line> {
    let count = arguments.count.unwrap_or_else(|| match policy.limit() {
        Some(limit) if limit <= ALL => usize::try_from(limit).unwrap_or(FEW),
        _ => FEW,
    });
    let mut seeded = arguments.seed.map(fastrand::Rng::with_seed);
    let mut still = Still;
    let random: &mut dyn Random = match &mut seeded {
        Some(seeded) => seeded,
        None => &mut still,
    };
    policy.schedule(count, random).map(|step| line(&step, configuration)).collect()
}

fn line(step: &Step, configuration: &Configuration) -> Line {
    let container = configuration.container();
    let paced = container.zero_delay == ZeroDelay::Container && step.delay_ms <= 0;
    let first_take_up_ms = paced.then(|| {
        let (receive, recovery) = (container.receive_timeout, container.recovery_interval);
        let wait = take_up(container.zero_delay, Duration::ZERO, receive, recovery);
        u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
    });
    Line {
        redelivery: step.redelivery,
        delay_ms: step.delay_ms,
        min_ms: step.min_ms,
        max_ms: step.max_ms,
        at_ms: step.at_ms,
        first_take_up_ms,
    }
}

fn write_table(policy: &RedeliveryPolicy, lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
    let limit = match policy.limit() {
        None => "redelivers without end".to_owned(),
        Some(0) => "no redelivery".to_owned(),
        Some(1) => "1 redelivery".to_owned(),
        Some(limit) => format!("{limit} redeliveries"),
    };
    writeln!(out, "policy {}: {limit}", policy.name)?;
    let mut rows = vec![["attempt", "wait", "at", "min", "max"].map(str::to_owned)];
    rows.push(["1", "-", "0s", "-", "-"].map(str::to_owned));
    rows.extend(lines.iter().map(|line| {
        let show = duration::show;
        let attempt = line.redelivery.saturating_add(1).to_string();
        [attempt, show(line.delay_ms), show(line.at_ms), show(line.min_ms), show(line.max_ms)]
    }));
    let widths = rows.iter().fold([0; 5], |mut widths, row| {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
        widths
    });
    let notes = [None, None].into_iter().chain(lines.iter().map(|line| line.first_take_up_ms));
    for (row, note) in rows.iter().zip(notes) {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        let note = note.map(|ms| {
            format!("   taken up after {} (zeroDelay)", duration::show(i64::try_from(ms).unwrap_or(i64::MAX)))
        });
        writeln!(out, "{}{}", cells.join("  "), note.unwrap_or_default())?;
    }
    let shown = u64::try_from(lines.len()).unwrap_or(u64::MAX);
    let end = match policy.on_exhausted {
        OnExhausted::Discard => "discarded",
        _ => "dead letter",
    };
    match policy.limit() {
        None => writeln!(out, "…"),
        Some(limit) if limit > shown => writeln!(out, "… {} more\n{end}", limit - shown),
        Some(_) => writeln!(out, "{end}"),
    }
}
