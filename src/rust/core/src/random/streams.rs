//! Independent streams of random numbers: the seed is the key, the purpose a part of it.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// One of the independent streams of a seed; a purpose other than the weights has a name of its own.
pub(crate) fn random_stream(seed: u64, purpose: &[u8; 24], stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..].copy_from_slice(purpose);
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(stream);
    rng
}
