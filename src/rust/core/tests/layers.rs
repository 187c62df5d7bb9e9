//! The architecture, checked: a module imports only from the layers below it, and no estimator another.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom to the top; modules of one layer do not know each other, except where they are one
/// folder.
const LAYERS: [&[&str]; 8] = [
    &["error"],
    &["linalg", "penalty"],
    &["random"],
    &["engine", "data", "loss"],
    &["moments", "predictions"],
    &["lasso", "trendfilter", "genlasso", "mlp", "bridge", "laplace"],
    &["marginal", "calibrate"],
    &["lib"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Every source file by its place below `src`: "lasso/newton/mod.rs".
fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    let place =
        |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    found.iter().map(|path| (place(path), fs::read_to_string(path).unwrap())).collect()
}

/// Paths after `prefix` in the code, up to the first character that is no part of a path.
fn after<'a>(code: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    code.split(prefix).skip(1).map(|rest| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        &rest[..end.unwrap_or(rest.len())]
    })
}

fn code(text: &str) -> String {
    let no_comment = |line: &str| line.split("//").next().unwrap_or("").to_owned();
    text.lines().map(no_comment).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_import_from_the_layers_below() {
    let mut faults = Vec::new();
    for (place, text) in files() {
        let module = place.split(['/', '.']).next().unwrap().to_owned();
        let Some(own) = layer(&module) else {
            faults.push(format!("{place}: `{module}` is in no layer; see LAYERS in this test"));
            continue;
        };
        for path in after(&code(&text), "crate::") {
            let other = path.split("::").next().unwrap();
            let below = layer(other).is_none_or(|l| l < own);
            if other != module && !below {
                faults.push(format!("{place} imports crate::{path}"));
            }
        }
    }
    assert!(faults.is_empty(), "against the layering:\n{}", faults.join("\n"));
}

/// The file (or folder) within its estimator that a place belongs to.
fn part(place: &str) -> Option<(String, String)> {
    let mut steps = place.trim_end_matches(".rs").split('/');
    Some((steps.next()?.to_owned(), steps.next()?.to_owned()))
}

#[test]
fn files_of_a_module_do_not_import_each_other_in_circles() {
    let mut imports: BTreeMap<(String, String), BTreeSet<(String, String)>> = BTreeMap::new();
    for (place, text) in files() {
        let Some((module, own)) = part(&place).filter(|(_, file)| file != "mod") else { continue };
        let code = code(&text);
        let nested = place.matches('/').count() > 1;
        let siblings = if nested { "super::super::" } else { "super::" };
        let within = format!("crate::{module}::");
        let paths = after(&code, siblings).chain(after(&code, &within));
        let others = paths.filter_map(|path| path.split("::").next()).filter(|o| *o != own);
        let known = |other: &&str| !other.is_empty() && !["super", "tests"].contains(other);
        let found = others.filter(known).map(|other| (module.clone(), other.to_owned()));
        imports.entry((module.clone(), own.clone())).or_default().extend(found);
    }
    for start in imports.keys() {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(at) = open.pop() {
            for next in imports.get(at).into_iter().flatten() {
                assert_ne!(next, start, "{}/{} imports itself through {}", start.0, start.1, at.1);
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
}
