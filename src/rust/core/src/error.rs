//! What can go wrong, as data: R raises it, with the user's call and the argument's name.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An argument that the mathematics cannot take.
    Argument { argument: &'static str, message: String },
    /// The job was cancelled.
    Cancelled,
    /// The system has refused memory.
    Memory,
    /// A bug of ours (a caught panic), with the draws it happened in.
    Internal(String),
}

impl Error {
    pub fn argument(argument: &'static str, message: String) -> Error {
        Error::Argument { argument, message }
    }

    /// Class of the condition that R raises.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Argument { .. } => "argument",
            Error::Cancelled => "cancelled",
            Error::Memory => "memory",
            Error::Internal(_) => "internal",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument { argument, message } => write!(f, "`{argument}` {message}."),
            Error::Cancelled => f.write_str("The computation was cancelled."),
            Error::Memory => f.write_str(
                "The system has refused memory. Ask for fewer draws or threads, or a smaller part of the data at a time.",
            ),
            Error::Internal(what) => write!(f, "Internal error: {what}. Please report it."),
        }
    }
}
