//! Sorting by a number: in one place, for the code of a sort takes 6 kB wherever it is written.

use std::cmp::Ordering;

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
}
