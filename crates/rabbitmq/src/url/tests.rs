use super::*;
use proptest::prelude::*;

fn url(text: &str) -> Url {
    text.parse().unwrap()
}

fn problem(text: &str) -> String {
    text.parse::<Url>().unwrap_err().to_string()
}

#[test]
fn all_parts_are_read_and_decoded() {
    let url = url("amqps://us%40er:p%3aw@example.org:1234/a%2fb");
    assert!(url.tls());
    assert_eq!((url.user(), url.password(), url.host(), url.port()), ("us@er", "p:w", "example.org", 1234));
    assert_eq!(url.vhost(), "a/b");
}

#[test]
fn what_is_left_out_has_the_usual_default() {
    let plain = url("amqp://h");
    assert_eq!((plain.user(), plain.password(), plain.port(), plain.vhost()), ("guest", "guest", 5672, "/"));
    assert_eq!(url("amqps://h").port(), 5671);
    for same in ["amqp://h/", "amqp://h/%2f", "amqp://h/%2F", "amqp://guest:guest@h:5672"] {
        assert_eq!(url(same), plain, "{same}");
    }
}

#[test]
fn an_ipv6_address_stays_one() {
    let url = url("amqp://[::1]:5673/v");
    assert_eq!((url.host(), url.port(), url.authority().as_str()), ("::1", 5673, "[::1]:5673"));
}

#[test]
fn no_output_shows_the_password() {
    let url = url("amqp://u:hunter2@h/v");
    for text in [url.to_string(), format!("{url:?}"), format!("{:#?}", crate::Settings::new(url, "shop"))] {
        assert!(text.contains("u:***@h:5672/v") && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_problem_names_its_place_and_hides_the_password() {
    for (text, want) in [
        ("http://h", "http://h: the scheme must be amqp:// or amqps:// (at character 1)"),
        (
            "amqp://u:s3@h:x/",
            "amqp://u:***@h:x/: the port must be a number from 1 to 65535 (at character 15)",
        ),
        ("amqp://u:s3@h:0", "amqp://u:***@h:0: the port must be a number from 1 to 65535 (at character 15)"),
        (
            "amqp://u:s%3@h",
            "amqp://u:***@h: after `%` come two hexadecimal digits (`%25` is `%`) (at character 11)",
        ),
        ("amqp://u:s3@", "amqp://u:***@: the host is missing (at character 13)"),
        ("amqp://h/a/b", "amqp://h/a/b: a `/` inside the virtual host must be written %2f (at character 11)"),
        ("amqp://[::1", "amqp://[::1: the bracket of the IPv6 address is not closed (at character 8)"),
        ("amqp://[h]", "amqp://[h]: between brackets stands an IPv6 address (at character 9)"),
        (
            "amqp://u:s3@h/v?heartbeat=1",
            "amqp://u:***@h/v?heartbeat=1: nothing may follow the virtual host; settings are keys of [transport] (at character 16)",
        ),
    ] {
        assert_eq!(problem(text), want);
    }
    assert!(problem(&format!("amqp://h/{}", "v".repeat(256))).contains("256 bytes"));
}

proptest! {
    #[test]
    fn nothing_panics_and_no_password_is_shown(text in "(amqp|amqps|)(://)?[a-z%:@/\\[\\]0-9ü?# ]{0,20}", tail in ".{0,10}") {
        let text = format!("{text}u:SECRET@{tail}");
        match text.parse::<Url>() {
            Ok(url) if url.password() == "SECRET" => prop_assert!(!url.to_string().contains("SECRET"), "{}", url),
            Ok(_) => {}
            Err(error) => prop_assert!(!error.to_string().contains("SECRET"), "{}", error),
        }
    }

    #[test]
    fn every_part_survives_encoding(user in "\\PC{1,20}", password in "\\PC{0,20}", vhost in "\\PC{1,20}") {
        let text = format!("amqp://{}:{}@h/{}", Encoded(&user), Encoded(&password), Encoded(&vhost));
        let url: Url = text.parse().unwrap();
        prop_assert_eq!((url.user(), url.password(), url.vhost()), (&*user, &*password, &*vhost));
    }
}
