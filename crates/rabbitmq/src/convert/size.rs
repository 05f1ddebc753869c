use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, ShortString};

/// How many bytes the properties take in a content header frame, which cannot be split.
pub(crate) fn header_size(properties: &BasicProperties) -> usize {
    let text = |value: &Option<ShortString>| value.as_ref().map_or(0, name);
    let byte = |value: &Option<u8>| usize::from(value.is_some());
    const FLAGS: usize = 2;
    FLAGS
        + text(properties.content_type())
        + text(properties.content_encoding())
        + properties.headers().as_ref().map_or(0, table)
        + byte(properties.delivery_mode())
        + byte(properties.priority())
        + text(properties.correlation_id())
        + text(properties.reply_to())
        + text(properties.expiration())
        + text(properties.message_id())
        + properties.timestamp().map_or(0, |_| 8)
        + text(properties.kind())
        + text(properties.user_id())
        + text(properties.app_id())
}

fn name(text: &ShortString) -> usize {
    1 + text.as_str().len()
}

fn table(entries: &FieldTable) -> usize {
    4 + entries.into_iter().map(|(key, entry)| name(key) + value(entry)).sum::<usize>()
}

fn value(value_: &AMQPValue) -> usize {
    1 + match value_ {
        AMQPValue::Void => 0,
        AMQPValue::Boolean(_) | AMQPValue::ShortShortInt(_) | AMQPValue::ShortShortUInt(_) => 1,
        AMQPValue::ShortInt(_) | AMQPValue::ShortUInt(_) => 2,
        AMQPValue::LongInt(_) | AMQPValue::LongUInt(_) | AMQPValue::Float(_) => 4,
        AMQPValue::DecimalValue(_) => 5,
        AMQPValue::LongLongInt(_) | AMQPValue::Double(_) | AMQPValue::Timestamp(_) => 8,
        AMQPValue::ShortString(text) => name(text),
        AMQPValue::LongString(text) => 4 + text.len(),
        AMQPValue::ByteArray(bytes) => 4 + bytes.len(),
        AMQPValue::FieldArray(values) => 4 + values.as_slice().iter().map(value).sum::<usize>(),
        AMQPValue::FieldTable(entries) => table(entries),
    }
}
