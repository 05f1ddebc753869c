use std::process::{Command, Stdio};

use crate::Shop;

fn hearken() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hearken"));
    command.env_remove("HEARKEN_CONFIG").env_remove("HEARKEN_PROFILE");
    command
}

#[test]
fn mistakes_go_to_the_error_stream_with_status_2() {
    let shop = Shop::new("[container]\nprefetch = 0\n");
    let output = hearken().arg("check").arg("--config").arg(shop.file()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).unwrap().contains("container.prefetch"));
}

#[test]
fn the_environment_names_the_file() {
    let shop = Shop::new("[application]\nname = \"named-by-the-environment\"\n");
    let output = hearken().arg("check").env("HEARKEN_CONFIG", shop.file()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("named-by-the-environment"));
}

#[test]
fn a_wrong_command_line_ends_with_2_and_help_with_0() {
    assert_eq!(hearken().arg("chekc").output().unwrap().status.code(), Some(2));
    assert_eq!(hearken().arg("plan").output().unwrap().status.code(), Some(2));
    assert_eq!(hearken().arg("--help").output().unwrap().status.code(), Some(0));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let shop = Shop::new("[redelivery.long]\nmaximumRedeliveries = -1\n");
    let mut child = hearken()
        .args(["plan", "long", "--count", "100000", "--config"])
        .arg(shop.file())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}
