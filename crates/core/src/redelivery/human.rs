const UNITS: [(u64, &str); 5] = [
    (31_557_600_000, "year"),
    (86_400_000, "day"),
    (3_600_000, "hour"),
    (60_000, "minute"),
    (1_000, "second"),
];

/// A wait in the words of a warning, to two figures: `about 600,000 years`.
pub(super) fn about(ms: i64) -> String {
    let ms = u64::try_from(ms).unwrap_or(0);
    let (size, unit) = UNITS.into_iter().find(|(size, _)| ms >= *size).unwrap_or((1, "millisecond"));
    let count = two_figures(ms.saturating_add(size / 2) / size);
    let plural = if count == 1 { "" } else { "s" };
    format!("about {} {unit}{plural}", grouped(count))
}

fn two_figures(count: u64) -> u64 {
    let mut scale = 1;
    while count / scale >= 100 {
        scale *= 10;
    }
    (count + scale / 2) / scale * scale
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
