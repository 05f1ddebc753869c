use std::ops::Range;

use super::mask;
use super::source::Source;

/// The text of one file, and where its lines begin.
#[derive(Debug)]
pub(crate) struct SourceText {
    path: String,
    profile: Option<String>,
    text: String,
    starts: Vec<usize>,
}

/// The line of a place, with what is underlined in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) line: String,
    /// What goes before the carets: as wide as the line's start, with its tabs.
    pub(crate) indent: String,
    pub(crate) carets: usize,
}

/// The longest part of a line that is shown.
const WIDEST: usize = 100;

impl SourceText {
    pub(crate) fn new(path: String, profile: Option<String>, text: String) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { path, profile, text, starts }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn source(&self, span: &Range<usize>) -> Source {
        let (line, column) = self.position(span.start);
        let path = self.path.clone();
        match &self.profile {
            Some(profile) => Source::Profile { profile: profile.clone(), path, line, column },
            None => Source::File { path, line, column },
        }
    }

    fn position(&self, offset: usize) -> (u32, u32) {
        let index = self.line_index(offset);
        let before = self.text.get(self.starts[index]..offset).unwrap_or_default();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (count(index + 1), count(before.chars().count() + 1))
    }

    fn line_index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    pub(crate) fn excerpt(&self, span: &Range<usize>) -> Excerpt {
        let index = self.line_index(span.start);
        let start = self.starts[index];
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default().trim_end();
        let clip = |offset: usize| line.get(..offset.saturating_sub(start).min(line.len())).unwrap_or(line);
        let first = clip(span.start).chars().count();
        let last = clip(span.end).chars().count();
        excerpt(line, first, last)
    }
}

/// `first` and `last` count characters of the line.
fn excerpt(line: &str, first: usize, last: usize) -> Excerpt {
    let masked = mask::line(line);
    let shown: Vec<char> = masked.chars().collect();
    // What is underlined may lie in, or behind, what was masked.
    let same = line.chars().zip(&shown).take_while(|(one, other)| one == *other).count();
    let (first, last) = if masked == line { (first, last) } else { (first.min(same), last.min(same)) };

    let margin = shown.iter().take_while(|c| c.is_whitespace()).count().min(first);
    let skip = if first > margin + WIDEST / 2 { first - WIDEST / 2 } else { margin };
    let clean = |c: &char| if c.is_control() && *c != '\t' { '\u{FFFD}' } else { *c };
    let mut text: String = if skip > margin { "…".to_owned() } else { String::new() };
    let lead = text.chars().count();
    text.extend(shown.iter().skip(skip).take(WIDEST).map(clean));
    if shown.len() > skip + WIDEST {
        text.push('…');
    }
    let before = shown.iter().skip(skip).take(first - skip.min(first));
    let mut indent = " ".repeat(lead);
    indent.extend(before.map(|c| if *c == '\t' { '\t' } else { ' ' }));
    let room = (skip + WIDEST).saturating_sub(first).max(1);
    Excerpt { line: text, indent, carets: last.saturating_sub(first).clamp(1, room) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> SourceText {
        SourceText::new("f.toml".to_owned(), None, text.to_owned())
    }

    #[test]
    fn columns_count_characters_and_lines_end_as_they_like() {
        let text = of("a = 1\r\n\tgrüße = 2\r\nb = 3");
        let at = text.text().find('2').unwrap();
        assert_eq!(text.source(&(at..at + 1)).to_string(), "f.toml:2:10");
        let excerpt = text.excerpt(&(at..at + 1));
        assert_eq!(excerpt, Excerpt { line: "grüße = 2".into(), indent: " ".repeat(8), carets: 1 });
        assert_eq!(text.source(&(text.text().len()..text.text().len())).to_string(), "f.toml:3:6");
    }

    #[test]
    fn tabs_inside_a_line_are_kept_before_the_carets() {
        let text = of("a =\t77");
        assert_eq!(
            text.excerpt(&(4..6)),
            Excerpt { line: "a =\t77".into(), indent: "   \t".into(), carets: 2 }
        );
    }

    #[test]
    fn nothing_is_underlined_behind_a_mask() {
        let text = of("url = \"amqp://u:secret@h\" x");
        let excerpt = text.excerpt(&(26..27));
        assert_eq!(excerpt.line, "url = \"amqp://u:***@h\" x");
        assert_eq!((excerpt.indent.len(), excerpt.carets), (16, 1));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = of(&format!("a = \"{}\" ?", "x".repeat(500)));
        let at = text.text().find('?').unwrap();
        let excerpt = text.excerpt(&(at..at + 1));
        assert!(excerpt.line.chars().count() <= 102, "{}", excerpt.line);
        assert_eq!(excerpt.line.chars().nth(excerpt.indent.chars().count()), Some('?'));
    }
}
