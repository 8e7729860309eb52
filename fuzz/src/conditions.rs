//! Conditions over ranks: any text is one, or an error with a place; and what one comes to is what its definition says.

use causal::proof::Choices;
use condition::Condition;
use condition::proof::agree;

/// The first byte says whether the rest is a text, or makes the choices of a condition and its stream.
pub(crate) fn condition(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else {
        return;
    };
    if kind % 2 == 0 {
        let mut choices = Choices::Bytes(rest);
        agree(&mut |bound| choices.below(bound));
        return;
    }
    let text = String::from_utf8_lossy(rest);
    let is_call = |name: &str| engine::is_call_of_mpi(name);
    match Condition::parse(&text, &is_call) {
        Ok(condition) => {
            let again = Condition::parse(&condition.to_string(), &is_call);
            assert_eq!(again.as_ref(), Ok(&condition), "{condition}");
        }
        Err(error) => {
            assert!(text.get(error.at.clone()).is_some(), "{error:?}");
            assert!(error.shown(&text).contains('^'), "{error:?}");
        }
    }
}

/// Texts, and choices at random.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let texts = [
        "rank 3 in Allreduce and any rank has sent tag 7 to 3 since",
        "not (all ranks outside for 5s or 2 of 0-3,7 has received from ranks 1-2 tag -1 3 times) and rank 1 has left MPI_BARRIER since",
    ];
    let text = |(at, text): (usize, &str)| (format!("text-{at}"), [&[1], text.as_bytes()].concat());
    let mut random = base::Random(28);
    let choices = std::iter::once(0).chain((0..600).map(|_| random.below(256) as u8));
    texts
        .into_iter()
        .enumerate()
        .map(text)
        .chain([("choices".to_owned(), choices.collect())])
        .collect()
}
