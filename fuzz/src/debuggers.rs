//! What debuggers say to the debug adapter.

use dap::Record;

/// Any line is a record or nothing, and what is read is no longer than the line.
pub(crate) fn mi(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        let length = match Record::read(line) {
            Some(Record::Result(_, class, results) | Record::Happened(class, results)) => {
                class.len() + texts(&results)
            }
            Some(Record::Said(said)) => said.len(),
            None => 0,
        };
        assert!(length <= line.len(), "{line}");
    }
}

/// How long the texts of a value are together.
fn texts(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(list) => list.iter().map(texts).sum(),
        serde_json::Value::Object(tuple) => tuple.iter().map(|(name, value)| name.len() + texts(value)).sum(),
        _ => 0,
    }
}

pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let said = concat!(
        "1^done,stack=[frame={level=\"0\",addr=\"0x1\",func=\"f\",file=\"f.c\",line=\"3\",args=[]},frame={level=\"1\"}]\n",
        "2^error,msg=\"No symbol \\\"x\\\" in current context.\"\n",
        "*stopped,reason=\"signal-received\",signal-name=\"SIGINT\",thread-id=\"1\",stopped-threads=\"all\"\n",
        "3^done,name=\"var1\",numchild=\"2\",value=\"{...}\",type=\"struct s\",has_more=\"0\"\n",
        "~\"\\303\\274 \\377\\n\"\n=thread-created,id=\"1\"\n(gdb) \n",
    );
    vec![("session".to_owned(), said.as_bytes().to_vec())]
}
