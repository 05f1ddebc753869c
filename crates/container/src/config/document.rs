//! From the bytes of a file to its tables, with every syntax error on the way.

use std::ops::Range;
use std::sync::Arc;

use toml::de::DeTable;

use super::names::dotted;
use super::node::{Entry, Node, entries};
use super::problem::{Problem, Report};
use super::spot::Spot;
use super::text::SourceText;

/// A file that was read.
pub(crate) struct Document {
    pub(crate) text: Arc<SourceText>,
    pub(crate) entries: Vec<Entry>,
}

/// Reads `bytes` as TOML. `None` when nothing of it can be used.
pub(crate) fn read(path: &str, profile: Option<&str>, bytes: &[u8], report: &mut Report) -> Option<Document> {
    let whole = Spot::WholeFile(path.into());
    if let Some(encoding) = other_encoding(bytes) {
        let message = format!("is {encoding}; a configuration is UTF-8");
        report.add(Problem::error(&whole, "", message).help("save it as UTF-8".to_owned()));
        return None;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let (text, invalid) = match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(error) => (String::from_utf8_lossy(bytes).into_owned(), Some(error.valid_up_to())),
    };
    let text = Arc::new(SourceText::new(path.to_owned(), profile.map(str::to_owned), text));
    let at = |span: Range<usize>| Spot::Text { text: Arc::clone(&text), span };
    if let Some(offset) = invalid {
        let problem = Problem::error(&at(offset..offset + 3), "", "this is not UTF-8");
        report.add(problem.help("save the file as UTF-8".to_owned()));
        return None;
    }
    if let Some(offset) = text.text().find('\0') {
        report.add(Problem::error(&at(offset..offset + 1), "", "a NUL character; no TOML holds one"));
        return None;
    }

    let (table, errors) = DeTable::parse_recoverable(text.text());
    let entries = entries(table.get_ref());
    let mut broken = false;
    for error in errors {
        let end = text.text().len();
        let span = error.span().unwrap_or(end..end);
        if error.message() == "duplicate key" {
            report.add(duplicate(&text, &entries, span));
        } else {
            broken = true;
            report.add(Problem::error(&at(span), "", format!("no valid TOML: {}", error.message())));
        }
    }
    // What a broken file seems to say would only bring problems that are none.
    (!broken).then_some(Document { text, entries })
}

fn other_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        [b, 0, c, 0, ..] | [0, b, 0, c, ..] if *b != 0 && *c != 0 => Some("UTF-16"),
        _ => None,
    }
}

fn duplicate(text: &Arc<SourceText>, entries: &[Entry], span: Range<usize>) -> Problem {
    let key = text.text().get(span.clone()).unwrap_or_default().trim_matches(['"', '\'']).to_owned();
    let (first, path) = match header(text.text(), span.start) {
        Some(header) => (first_header(text.text(), &header), header),
        None => match last_before(entries, &key, span.start, &mut Vec::new()) {
            Some((first, path)) => (Some(first), dotted(&path)),
            None => (None, key.clone()),
        },
    };
    let first = first.filter(|first| first.start < span.start);
    let help = first.map(|first| format!("first given at {}", text.source(&first)));
    let spot = Spot::Text { text: Arc::clone(text), span };
    Problem::error(&spot, path, format!("`{key}` is given twice")).help(help)
}

/// The words between the brackets, if the place is in the header of a table.
fn header(text: &str, offset: usize) -> Option<String> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |at| at + 1);
    header_of(text.get(start..)?.lines().next()?)
}

fn header_of(line: &str) -> Option<String> {
    let inner = line.trim_start().strip_prefix('[')?.trim_start_matches('[');
    let (words, _) = inner.split_once(']')?;
    Some(words.split('.').map(str::trim).collect::<Vec<_>>().join("."))
}

/// The parser keeps the last header of a table: the first is looked for in the text.
fn first_header(text: &str, wanted: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if header_of(line).is_some_and(|header| header == wanted) {
            let at = start + line.find('[')? + 1;
            return Some(at..at + wanted.len());
        }
        start += line.len();
    }
    None
}

/// A key that is not in a header stands in the same section as the one it repeats: the nearest before it.
fn last_before(
    entries: &[Entry],
    key: &str,
    before: usize,
    path: &mut Vec<String>,
) -> Option<(Range<usize>, Vec<String>)> {
    let mut best: Option<(Range<usize>, Vec<String>)> = None;
    for entry in entries {
        path.push(entry.key.clone());
        let mut candidates = Vec::new();
        if entry.key == key && entry.key_span.start < before {
            candidates.push((entry.key_span.clone(), path.clone()));
        }
        if let Node::Table(inner) = &entry.value {
            candidates.extend(last_before(inner, key, before, path));
        }
        for candidate in candidates {
            if best.as_ref().is_none_or(|(span, _)| span.start < candidate.0.start) {
                best = Some(candidate);
            }
        }
        path.pop();
    }
    best
}
