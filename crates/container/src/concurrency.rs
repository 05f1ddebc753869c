//! How many invokers a listener has: a number, or a range that it moves in.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// The least and the most invokers of a listener: at least one, at most [`MOST`](Self::MOST), the least not above the
/// most.
///
/// `"3-10"` is a range and `"4"` is exactly 4. Spring's `"10"` means 1 to 10; here a single number is never a range.
///
/// ```
/// use hearken_container::Concurrency;
///
/// let range: Concurrency = "3-10".parse()?;
/// assert_eq!((range.min(), range.max(), range.is_elastic()), (3, 10, true));
/// let fixed: Concurrency = "4".parse()?;
/// assert_eq!((fixed.min(), fixed.max(), fixed.is_elastic()), (4, 4, false));
/// # Ok::<(), hearken_container::ConcurrencyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Concurrency {
    min: NonZeroU32,
    max: NonZeroU32,
}

/// Why a text is no [`Concurrency`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConcurrencyError {
    /// It is neither a number nor two of them with a `-` between.
    #[error("expected a number from 1 to {most}, or a range such as \"3-10\"", most = Concurrency::MOST)]
    Form,
    /// A bound is 0, or above [`Concurrency::MOST`].
    #[error("allowed: 1 to {most}, or a range within", most = Concurrency::MOST)]
    Bounds,
    /// The lower bound is above the upper one.
    #[error("the lower bound is above the upper one")]
    Order,
}

impl Concurrency {
    /// The most invokers a listener can have.
    pub const MOST: u32 = 1000;

    /// One invoker.
    pub const ONE: Self = Self { min: NonZeroU32::MIN, max: NonZeroU32::MIN };

    /// A range; `None` when a bound is 0 or above [`MOST`](Self::MOST), or the lower one above the upper.
    pub const fn new(min: u32, max: u32) -> Option<Self> {
        match (NonZeroU32::new(min), NonZeroU32::new(max)) {
            (Some(low), Some(high)) if min <= max && max <= Self::MOST => Some(Self { min: low, max: high }),
            _ => None,
        }
    }

    /// Always this many; `None` for 0 and above [`MOST`](Self::MOST).
    pub const fn fixed(invokers: u32) -> Option<Self> {
        Self::new(invokers, invokers)
    }

    /// How many there are at the least, however idle.
    pub const fn min(self) -> u32 {
        self.min.get()
    }

    /// How many there are at the most, however busy.
    pub const fn max(self) -> u32 {
        self.max.get()
    }

    /// Whether there is room between the two.
    pub const fn is_elastic(self) -> bool {
        self.min.get() < self.max.get()
    }
}

/// One invoker.
impl Default for Concurrency {
    fn default() -> Self {
        Self::ONE
    }
}

/// As configuration spells it.
impl fmt::Display for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_elastic() { write!(f, "{}-{}", self.min, self.max) } else { write!(f, "{}", self.min) }
    }
}

impl FromStr for Concurrency {
    type Err = ConcurrencyError;

    fn from_str(text: &str) -> Result<Self, ConcurrencyError> {
        let (min, max) = match text.split_once('-') {
            Some((min, max)) => (bound(min)?, bound(max)?),
            None => {
                let invokers = bound(text)?;
                (invokers, invokers)
            }
        };
        if min == 0 || max > Self::MOST {
            return Err(ConcurrencyError::Bounds);
        }
        Self::new(min, max).ok_or(ConcurrencyError::Order)
    }
}

/// Digits only: `parse` alone would take `+4`. What does not fit is out of bounds in any case.
fn bound(text: &str) -> Result<u32, ConcurrencyError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ConcurrencyError::Form);
    }
    text.parse().map_err(|_| ConcurrencyError::Bounds)
}

#[cfg(test)]
mod tests {
    use super::{Concurrency, ConcurrencyError};
    use proptest::prelude::*;

    #[test]
    fn a_number_is_exactly_so_many_and_two_are_a_range() {
        for (text, min, max) in
            [("4", 4, 4), ("3-10", 3, 10), ("1-1000", 1, 1000), ("7-7", 7, 7), ("04", 4, 4)]
        {
            let parsed: Concurrency = text.parse().unwrap();
            assert_eq!((parsed.min(), parsed.max(), parsed.is_elastic()), (min, max, min < max), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_is_no_concurrency() {
        use ConcurrencyError::{Bounds, Form, Order};
        for (text, error) in [
            ("", Form),
            ("-", Form),
            ("3-", Form),
            ("-5", Form),
            ("3-5-7", Form),
            ("1.5", Form),
            (" 3-10 ", Form),
            ("3 - 10", Form),
            ("+4", Form),
            ("many", Form),
            ("0", Bounds),
            ("0-5", Bounds),
            ("0-0", Bounds),
            ("1001", Bounds),
            ("1-1001", Bounds),
            ("5-0", Order),
            ("10-3", Order),
            ("99999999999999999999", Bounds),
        ] {
            assert_eq!(text.parse::<Concurrency>(), Err(error), "{text:?}");
        }
        assert_eq!(Concurrency::fixed(0), None);
        assert_eq!(Concurrency::new(10, 3), None);
        assert_eq!(Concurrency::new(1, 1001), None);
    }

    proptest! {
        #[test]
        fn its_spelling_is_itself(min in 1..=1000_u32, more in 0..1000_u32) {
            let concurrency = Concurrency::new(min, (min + more).min(1000)).unwrap();
            prop_assert_eq!(concurrency.to_string().parse(), Ok(concurrency));
        }

        #[test]
        fn no_text_makes_an_impossible_one(text in "[-0-9+ .a]{0,9}") {
            if let Ok(concurrency) = text.parse::<Concurrency>() {
                prop_assert!(1 <= concurrency.min());
                prop_assert!(concurrency.min() <= concurrency.max());
                prop_assert!(concurrency.max() <= Concurrency::MOST);
            }
        }
    }
}
