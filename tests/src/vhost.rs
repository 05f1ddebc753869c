//! A virtual host for one test, on the shared node: whatever the test leaves behind goes with it.

use crate::broker;
use std::path::PathBuf;
use std::process::Output;

/// The command that starts and speaks to nodes.
pub(crate) fn command() -> PathBuf {
    broker::from_environment("HEARKEN_TEST_RABBITMQ").into()
}

/// What the command said.
///
/// # Panics
/// When it failed.
pub(crate) fn said(output: std::io::Result<Output>, what: &str) -> String {
    let output = output.unwrap_or_else(|error| panic!("{what}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{what}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn ctl_words(words: &[&str]) -> Vec<String> {
    let dir = broker::from_environment("HEARKEN_TEST_RABBITMQ_DIR");
    ["ctl", "--dir", &dir, "--", "-q"].iter().chain(words).map(|word| (*word).to_owned()).collect()
}

/// Runs `rabbitmqctl` on the shared node.
///
/// # Panics
/// When it fails.
pub async fn ctl(words: &[&str]) -> String {
    said(tokio::process::Command::new(command()).args(ctl_words(words)).output().await, &words.join(" "))
}

/// A virtual host that is deleted when it is dropped.
pub struct VirtualHost(String);

impl VirtualHost {
    /// A new one, open to the user of the tests.
    ///
    /// # Panics
    /// Without a broker.
    pub async fn create() -> Self {
        let host = Self(broker::unique("host"));
        ctl(&["add_vhost", &host.0]).await;
        ctl(&["set_permissions", "-p", &host.0, "guest", ".*", ".*", ".*"]).await;
        host
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Its address.
    pub fn url(&self) -> String {
        broker::amqp_url().replace("/%2f", &format!("/{}", self.0))
    }

    /// Its address behind this host and port, such as a proxy's.
    pub fn url_at(&self, authority: &str) -> String {
        self.url().replace(&broker::amqp_address(), authority)
    }

    /// Has the broker close every connection to it, with code 320.
    ///
    /// # Panics
    /// When that fails.
    pub async fn close_connections(&self) {
        ctl(&["close_all_connections", "--vhost", &self.0, "as the test wants it"]).await;
    }
}

impl Drop for VirtualHost {
    fn drop(&mut self) {
        let words = ctl_words(&["delete_vhost", &self.0]);
        let deleted = std::process::Command::new(command()).args(words).output();
        if !deleted.is_ok_and(|output| output.status.success()) {
            eprintln!("the virtual host {} was not deleted", self.0);
        }
    }
}
