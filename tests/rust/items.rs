use std::collections::HashMap;
use std::sync::{Arc, Mutex as Lock};
use anyhow::*;
use crate::store::{self, Shelf};
use super::garden;
use self::tools::rake as tool;

pub mod tools;

pub const LIMIT: usize = 40;
static NAME: &str = "garden";

#[derive(Clone, Debug)]
pub struct Plant<'a, T: Grow> {
    pub name: &'a str,
    kind: Kind,
    inner: Arc<Lock<Vec<T>>>,
    notes: Option<Box<dyn Note + Send>>,
}

pub struct Meters(f64, pub [u8; 4]);

pub enum Kind {
    Tree,
    Flower { petals: u8 },
    Pair(String, u32),
}

pub trait Grow {
    const SPEED: u32 = 1;
    fn height(&self) -> Meters;
    fn grow(&mut self, days: u32) -> bool {
        days > Self::SPEED
    }
}

impl<'a, T> Plant<'a, T>
where
    T: Grow,
{
    /// Plants one.
    ///
    /// With care.
    pub fn new(name: &'a str, first: T) -> Self {
        Self { name, kind: Kind::Tree, inner: Arc::new(Lock::new(vec![first])), notes: None }
    }

    pub async fn water(&mut self, (litres, when): (u32, &str), shelf: &impl Note) {
        self.kind = Kind::Flower { petals: 3 };
        garden::note(litres, when, shelf).await;
    }
}

impl Grow for Shelf {
    fn height(&self) -> Meters {
        Meters(self.levels as f64, [0; 4])
    }
}

impl<F: Fn(u32) -> bool> garden::Bed<F> {
    fn test(f: F, list: &[&mut Kind]) -> Result<(), String> {
        crate::store::check(super::garden::size(), f(1))
    }
}

mod inner {
    use super::*;
    pub fn deep() -> usize {
        LIMIT
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn one() {
        assert_eq!(1 + 1, 2);
    }
}
