use crate::BoxFuture;
use crate::call::Call;
use crate::outcome::Outcome;
use std::any::{TypeId, type_name};

/// A function marked `#[listener]`, by the name it has: `listen::<orders::on_order>()`.
pub trait Listener {
    /// What is known of it.
    fn descriptor() -> &'static ListenerDescriptor;
}

/// An annotated function and the settings of its attribute.
#[derive(Debug)]
pub struct ListenerDescriptor {
    /// Unique in the process: the function's name unless given.
    pub id: &'static str,
    /// The function's name.
    pub function: &'static str,
    /// The module it is in.
    pub module_path: &'static str,
    /// Its source file.
    pub file: &'static str,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// Its doc comment.
    pub description: &'static str,
    /// [`crate::VERSION`] of the copy it was compiled against.
    pub core_version: &'static str,
    /// The attribute's options, by the names they have in configuration.
    pub options: &'static [AttributeOption],
    /// What the arguments need from the application.
    pub requirements: fn(&mut Requirements),
    /// Calls it.
    pub handler: Handler,
}

/// One option of the attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttributeOption {
    /// The key as in configuration: `handlerTimeout`.
    pub key: &'static str,
    /// The value as written.
    pub value: AttributeValue,
}

/// The value of an attribute option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttributeValue {
    /// Text, or a placeholder for a value of any type.
    Text(&'static str),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Decimal(f64),
    /// A truth value.
    Boolean(bool),
    /// A redelivery policy in place of the name of one: keys and values of `[redelivery.NAME]`.
    Table(&'static [AttributeOption]),
}

/// Takes the arguments and calls an `async fn`.
pub type AsyncHandler = for<'a> fn(&'a Call) -> BoxFuture<'a, Outcome>;
/// Takes the arguments of a plain `fn`; the call itself runs on a thread of its own.
pub type BlockingHandler = for<'a> fn(&'a Call) -> BoxFuture<'a, Result<BlockingCall, Outcome>>;
/// A plain function with its arguments in hand.
pub type BlockingCall = Box<dyn FnOnce() -> Outcome + Send + 'static>;

/// How a listener is called.
#[derive(Clone, Copy, Debug)]
pub enum Handler {
    /// An `async fn`, polled by its invoker.
    Async(AsyncHandler),
    /// A plain `fn`, run on a thread outside the runtime.
    Blocking(BlockingHandler),
}

/// What handlers need from the application, collected before anything is opened.
#[derive(Debug, Default)]
pub struct Requirements {
    states: Vec<Requirement>,
}

/// A value of a type that a handler takes by `State<T>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The type.
    pub id: TypeId,
    /// Its name.
    pub name: &'static str,
}

impl Requirements {
    /// A handler takes `State<T>`.
    pub fn state<T: 'static>(&mut self) {
        self.states.push(Requirement { id: TypeId::of::<T>(), name: type_name::<T>() });
    }

    /// The types taken by `State<T>`.
    pub fn states(&self) -> &[Requirement] {
        &self.states
    }
}
