//! The broker's address, and what must not be said of it.

use expect_test::expect;

use crate::fixture::{Fixture, file};

fn url(url: &str) -> Fixture {
    file(format!("[transport]\nurl = \"{url}\"\n"))
}

#[test]
fn e19_a_misspelt_scheme_lists_the_known_ones() {
    url("ampq://user:hunter2@host").refused(&expect![[r#"
        shop.toml:2:7: transport.url: allowed schemes: embedded:, amqp://, amqps://; given ampq
            url = "ampq://user:***@host"
                  ^^^^^^^^^^^^^ did you mean amqp://?"#]]);
    url("http://host").refused(&expect![[r#"
        shop.toml:2:7: transport.url: allowed schemes: embedded:, amqp://, amqps://; given http
            url = "http://host"
                  ^^^^^^^^^^^^^"#]]);
}

#[test]
fn e19_an_unescaped_character_is_answered_with_its_escape() {
    url("amqp://user:hun@ter2@host").refused(&expect![[r#"
        shop.toml:2:7: transport.url: more than one `@`; the first is character 16 of the value
            url = "amqp://user:***@host"
                  ^^^^^^^^^^^^^ write %40 for an `@` in a user, a password or a virtual host"#]]);
    url("amqp://user:hun/ter2@host").refused(&expect![[r#"
        shop.toml:2:7: transport.url: a `/`, `?` or `#` in the user or the password
            url = "amqp://user:***@host"
                  ^^^^^^^^^^^^^ write %2F for `/`, %3F for `?`, %23 for `#`"#]]);
    url("amqp://user:hunter2@host//").refused(&expect![[r#"
        shop.toml:2:7: transport.url: a `/` in the virtual host
            url = "amqp://user:***@host//"
                  ^^^^^^^^^^^^^ write %2F for it; the default virtual host is left out, or %2F"#]]);
}

#[test]
fn e19_no_message_shows_a_password() {
    for bad in [
        "ampq://u:hunter2@h",
        "amqp:u:hunter2@h",
        "amqp://u:hunter2",
        "amqp://u:hun ter2@h",
        "hunter2",
        "amqp://u:hunter2@h:x",
        "amqp://u:hunter2@h?a=b",
        "amqp://u:hunter2@",
        "amqp://u:hunter2%@h",
        "embedded:hunter2@h",
    ] {
        let problems = url(bad).load().unwrap_err().to_string();
        assert!(!problems.contains("ter2"), "{problems}");
    }
    let broken = file("[transport]\nurl = \"amqp://u:hunter2@h\n").load().unwrap_err().to_string();
    assert!(!broken.contains("hunter2"), "{broken}");
    let inline =
        file("transport = { url = \"ampq://u:hunter2@h\", wibble = 1 }\n").load().unwrap_err().to_string();
    assert!(!inline.contains("hunter2"), "{inline}");
    let placeholder =
        file("values = { db.password = \"hunter2\", n = [] }\n[container]\nprefetch = \"${db.password}\"\n");
    let placeholder = placeholder.load().unwrap_err().to_string();
    assert!(!placeholder.contains("hunter2"), "{placeholder}");
    let variable = Fixture::new().variable("HEARKEN_TRANSPORT__URL", "ampq://u:hunter2@h").load();
    assert!(!variable.unwrap_err().to_string().contains("hunter2"));
}

#[test]
fn a_configuration_shows_no_password_but_gives_it() {
    let configuration = url("amqps://user:hunter2@host/shop").accepted();
    assert!(!format!("{configuration:?}{:?}", configuration.entries()).contains("hunter2"));
    assert_eq!(configuration.transport().url.to_string(), "amqps://user:***@host/shop");
    assert_eq!(configuration.transport().url.expose(), "amqps://user:hunter2@host/shop");
    assert_eq!(configuration.transport().url.scheme(), "amqps");
}

#[test]
fn e20_a_certificate_must_be_there_and_be_one() {
    let tls = "[transport]\nurl = \"amqps://host\"\ncaCertificate = \"ca.pem\"\n";
    file(tls).refused(&expect![[r#"
        shop.toml:3:17: transport.caCertificate: ca.pem not found
            caCertificate = "ca.pem"
                            ^^^^^^^^"#]]);
    file(tls).with("ca.pem", "no certificate").refused(&expect![[r#"
        shop.toml:3:17: transport.caCertificate: ca.pem has no certificate in PEM form (-----BEGIN CERTIFICATE-----)
            caCertificate = "ca.pem"
                            ^^^^^^^^"#]]);
    let good = file(tls).with("ca.pem", "-----BEGIN CERTIFICATE-----\n").accepted();
    assert!(good.transport().ca_certificate.as_ref().is_some_and(|path| path.is_absolute()));
}

#[test]
fn e20_a_certificate_contradicts_an_unencrypted_address() {
    file("[transport]\nurl = \"amqp://host\"\ncaCertificate = \"ca.pem\"\n").refused(&expect![[r#"
        shop.toml:3:1: transport.caCertificate: contradicts the url given at shop.toml:2:7: amqp:// knows no certificates
            caCertificate = "ca.pem"
            ^^^^^^^^^^^^^ write amqps:// in the url, or remove caCertificate"#]]);
}
