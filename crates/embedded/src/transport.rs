use crate::broker::Broker;
use crate::link::EmbeddedLink;
use hearken_core::BoxFuture;
use hearken_core::transport::{Capabilities, Link, Plan, Topology, Transport, TransportError};
use std::sync::Arc;

/// A transport to an embedded broker. Several may lead to the same one.
#[derive(Clone, Debug)]
pub struct EmbeddedTransport {
    broker: Broker,
    topology: Topology,
}

impl EmbeddedTransport {
    /// A transport to `broker` that declares what it needs.
    pub fn new(broker: Broker) -> Self {
        Self { broker, topology: Topology::default() }
    }

    /// The same transport with another topology setting.
    #[must_use]
    pub fn with_topology(mut self, topology: Topology) -> Self {
        self.topology = topology;
        self
    }

    /// The broker it leads to.
    pub fn broker(&self) -> &Broker {
        &self.broker
    }
}

impl Transport for EmbeddedTransport {
    fn system(&self) -> &'static str {
        "embedded"
    }

    fn address(&self) -> String {
        "embedded:".to_owned()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::new(false, None)
    }

    fn connect<'a>(&'a self, _plan: &'a Plan) -> BoxFuture<'a, Result<Arc<dyn Link>, TransportError>> {
        Box::pin(async move {
            let link: Arc<dyn Link> = Arc::new(EmbeddedLink::open(self.broker.shared(), self.topology)?);
            Ok(link)
        })
    }
}
