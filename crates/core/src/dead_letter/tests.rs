use super::*;
use crate::failure::Failure;
use crate::history::FailureRecord;
use crate::time::Timestamp;
use proptest::prelude::*;

fn letter(message: Message, failure: &Failure) -> Message {
    let origin = Origin { queue: "q".into(), exchange: "shop".into(), routing_key: "order.new".into() };
    let history = History::failed(None, FailureRecord::from(failure), Timestamp::from_millis(5));
    let circumstances = Circumstances {
        listener: "on_order",
        policy: "patient",
        host: "h",
        reason: Reason::Exhausted,
        expiration: None,
    };
    dead_letter(message, &origin, &history, circumstances)
}

#[test]
fn the_story_is_told_under_springs_names_too() {
    let replayed = Message::new("x").with_header(SPRING_MESSAGE, "of an earlier death");
    let letter = letter(replayed, &Failure::from("no stock"));
    let headers = letter.headers();
    assert_eq!(headers.text(SPRING_MESSAGE), Some("no stock"));
    assert_eq!(headers.text(SPRING_EXCHANGE), Some("shop"));
    assert_eq!(headers.text(SPRING_ROUTING_KEY), Some("order.new"));
}

#[test]
fn the_name_of_a_reason_says_which_it_is() {
    for reason in [Reason::Exhausted, Reason::Expired, Reason::Failed(FailureKind::Undecodable)] {
        assert_eq!(Reason::from_name(reason.as_str()), Some(reason));
    }
    assert_eq!(Reason::from_name("forged"), None);
}

#[test]
fn room_is_made_by_the_largest_headers_of_others() {
    let mut letter = Message::new("x");
    let headers = letter.headers_mut();
    headers.insert("small", "s");
    headers.insert("large", "l".repeat(1000));
    headers.insert("larger", "l".repeat(2000));
    headers.insert("hearken-error-text", "t".repeat(5000));
    assert!(make_room(&mut letter, 100));
    let names =
        |letter: &Message| letter.headers().iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    assert!(!names(&letter).contains(&"larger".to_owned()) && names(&letter).contains(&"large".to_owned()));
    assert!(make_room(&mut letter, 10_000));
    assert_eq!(letter.headers().integer(HEADERS_LEFT_OUT), Some(3));
    assert_eq!(letter.headers().text("hearken-error-text").map(str::len), Some(5000));
}

#[test]
fn room_is_made_by_the_text_of_the_failure_where_there_is_nothing_else() {
    let mut letter = Message::new("x").with_header(ERROR_TEXT, "ü".repeat(4000));
    assert!(make_room(&mut letter, 1000));
    let text = letter.headers().text(ERROR_TEXT).unwrap_or_default();
    assert!(text.len() <= 7000 && text.len() > 6900 && text.ends_with(MARK), "{}", text.len());
    let mut rounds = 0;
    while make_room(&mut letter, 16 * 1024) {
        rounds += 1;
    }
    assert!(rounds < 20 && letter.headers().text(ERROR_TEXT).is_some_and(|text| text.len() <= MARK.len()));
}

fn size(letter: &Message) -> usize {
    letter.headers().iter().map(|(name, value)| name.len() + value.size()).sum()
}

proptest! {
    #[test]
    fn a_dead_letter_always_fits_whatever_the_error_and_the_headers_say(
        text in ".{0,200}",
        repeats in 1..400_usize,
        code in ".{0,400}",
        theirs in prop::collection::vec(("[a-z]{1,20}", 0..60_000_usize), 0..8),
    ) {
        let mut message = Message::new("x");
        for (name, length) in theirs {
            message.headers_mut().insert(name, "v".repeat(length));
        }
        let mut letter = letter(message, &Failure::from(text.repeat(repeats)).code(code));
        let texts = letter.headers().iter().filter(|(name, _)| name.starts_with(PREFIX));
        for (_, value) in texts {
            prop_assert!(!value.as_text().unwrap_or_default().chars().any(char::is_control));
        }
        // A whole frame is 128 KiB; this is less than any broker's smallest.
        while size(&letter) > 1500 {
            prop_assert!(make_room(&mut letter, 16 * 1024), "{} bytes", size(&letter));
        }
        prop_assert_eq!(letter.headers().text(REASON), Some("exhausted"));
        prop_assert!(letter.headers().text(ERROR_TEXT).is_some());
    }

    #[test]
    fn no_secret_of_an_error_gets_into_a_dead_letter(
        before in "[a-z ]{0,40}",
        after in "[a-z ]{0,40}",
        form in 0..5_usize,
    ) {
        let secret = "Hunter2Hunter2";
        let told = [
            format!("amqp://user:{secret}@host/v"),
            format!("password={secret}"),
            format!("{{\"api_key\": \"{secret}\"}}"),
            format!("Authorization: Bearer {secret}"),
            format!("Bearer {secret}"),
        ];
        let letter = letter(Message::new("x"), &Failure::from(format!("{before} {} {after}", told[form])));
        for (name, value) in letter.headers().iter() {
            prop_assert!(!value.as_text().unwrap_or_default().contains(secret), "{name}: {value:?}");
        }
    }
}
