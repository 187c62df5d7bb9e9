//! Sorting by a number: in one place, for the code of a sort takes 6 kB wherever it is written.

use std::cmp::Ordering;

/// A number and what it belongs to.
pub type Pair = (f64, usize);

/// Sort `places` by increasing `keys`, equal ones in their order.
pub fn increasing(places: &mut [usize], keys: &[f64]) {
    by(places, &|a, b| keys[a].total_cmp(&keys[b]));
}

/// The places of `keys` from the largest to the smallest, equal ones in their order.
pub fn decreasing(keys: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    by(&mut places, &|a, b| keys[b].total_cmp(&keys[a]));
    places
}

/// Pairs by increasing number, equal ones by place.
pub fn ascending(pairs: &mut [Pair]) {
    pairs_by(pairs, &|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

/// Pairs by decreasing number, equal ones by place.
pub fn descending(pairs: &mut [Pair]) {
    pairs_by(pairs, &|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}

fn pairs_by(pairs: &mut [Pair], order: &dyn Fn(&Pair, &Pair) -> Ordering) {
    pairs.sort_unstable_by(|a, b| order(a, b));
}

fn by(places: &mut [usize], order: &dyn Fn(usize, usize) -> Ordering) {
    places.sort_by(|&a, &b| order(a, b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_stay_in_their_order() {
        let keys = [2.0, 1.0, 2.0, 3.0, 1.0];
        let mut places: Vec<usize> = (0..5).collect();
        increasing(&mut places, &keys);
        assert_eq!(places, [1, 4, 0, 2, 3]);
        assert_eq!(decreasing(&keys), [3, 0, 2, 1, 4]);
    }

    #[test]
    fn equal_numbers_go_by_place() {
        let mut pairs = [(1.0, 2), (3.0, 1), (1.0, 0), (2.0, 5)];
        ascending(&mut pairs);
        assert_eq!(pairs, [(1.0, 0), (1.0, 2), (2.0, 5), (3.0, 1)]);
        descending(&mut pairs);
        assert_eq!(pairs, [(3.0, 1), (2.0, 5), (1.0, 0), (1.0, 2)]);
    }
}
