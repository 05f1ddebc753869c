use super::short;
use bytes::Bytes;
use hearken_core::message::{HeaderValue, Headers};
use hearken_core::time::Timestamp;
use hearken_core::transport::PublishError;
use lapin::types::{AMQPValue, DecimalValue, FieldArray, FieldTable};

/// As deep as the frame screen lets tables come in, so that what is received can be sent on.
const MAX_DEPTH: usize = 32;

pub(super) fn table(headers: &Headers) -> Result<FieldTable, PublishError> {
    table_at(headers, 1)
}

fn table_at(headers: &Headers, depth: usize) -> Result<FieldTable, PublishError> {
    let mut table = FieldTable::default();
    for (name, value) in headers.iter() {
        table.insert(short("name of a header", name)?, value_at(value, depth)?);
    }
    Ok(table)
}

fn value_at(value: &HeaderValue, depth: usize) -> Result<AMQPValue, PublishError> {
    if depth > MAX_DEPTH {
        let reason = format!("its headers are nested more than {MAX_DEPTH} levels deep");
        return Err(PublishError::Invalid { reason });
    }
    Ok(match value {
        HeaderValue::Void => AMQPValue::Void,
        HeaderValue::Boolean(value) => AMQPValue::Boolean(*value),
        HeaderValue::Integer(value) => AMQPValue::LongLongInt(*value),
        HeaderValue::Float(value) => AMQPValue::Double(*value),
        HeaderValue::Decimal { scale, value } => {
            AMQPValue::DecimalValue(DecimalValue { scale: *scale, value: *value })
        }
        HeaderValue::Text(text) => AMQPValue::LongString(text.as_str().into()),
        HeaderValue::Bytes(bytes) => AMQPValue::ByteArray(bytes.to_vec().into()),
        HeaderValue::Timestamp(time) => AMQPValue::Timestamp(seconds(*time)),
        HeaderValue::List(values) => {
            let values: Result<Vec<_>, _> = values.iter().map(|value| value_at(value, depth + 1)).collect();
            AMQPValue::FieldArray(FieldArray::from(values?))
        }
        HeaderValue::Table(headers) => AMQPValue::FieldTable(table_at(headers, depth + 1)?),
        other => {
            return Err(PublishError::Invalid { reason: format!("AMQP has no header type for {other:?}") });
        }
    })
}

pub(super) fn headers(table: &FieldTable) -> Headers {
    table.into_iter().map(|(name, value)| (name.as_str(), header(value))).collect()
}

// Recursive, which is safe behind the frame screen.
fn header(value: &AMQPValue) -> HeaderValue {
    match value {
        AMQPValue::Void => HeaderValue::Void,
        AMQPValue::Boolean(value) => HeaderValue::Boolean(*value),
        AMQPValue::ShortShortInt(value) => HeaderValue::Integer((*value).into()),
        AMQPValue::ShortShortUInt(value) => HeaderValue::Integer((*value).into()),
        AMQPValue::ShortInt(value) => HeaderValue::Integer((*value).into()),
        AMQPValue::ShortUInt(value) => HeaderValue::Integer((*value).into()),
        AMQPValue::LongInt(value) => HeaderValue::Integer((*value).into()),
        AMQPValue::LongUInt(value) => HeaderValue::Integer((*value).into()),
        AMQPValue::LongLongInt(value) => HeaderValue::Integer(*value),
        AMQPValue::Float(value) => HeaderValue::Float((*value).into()),
        AMQPValue::Double(value) => HeaderValue::Float(*value),
        AMQPValue::DecimalValue(value) => HeaderValue::Decimal { scale: value.scale, value: value.value },
        AMQPValue::ShortString(text) => HeaderValue::Text(text.as_str().to_owned()),
        AMQPValue::LongString(text) => match std::str::from_utf8(text.as_bytes()) {
            Ok(text) => HeaderValue::Text(text.to_owned()),
            Err(_) => HeaderValue::Bytes(Bytes::copy_from_slice(text.as_bytes())),
        },
        AMQPValue::ByteArray(bytes) => HeaderValue::Bytes(Bytes::copy_from_slice(bytes.as_slice())),
        AMQPValue::Timestamp(seconds) => HeaderValue::Timestamp(timestamp(*seconds)),
        AMQPValue::FieldArray(values) => HeaderValue::List(values.as_slice().iter().map(header).collect()),
        AMQPValue::FieldTable(table) => HeaderValue::Table(headers(table)),
    }
}

/// AMQP counts whole seconds, none before 1970.
pub(super) fn seconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_millis().div_euclid(1000)).unwrap_or(0)
}

pub(super) fn timestamp(seconds: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000))
}
