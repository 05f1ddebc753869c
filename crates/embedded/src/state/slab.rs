use std::marker::PhantomData;

/// Names a place in a [`Slab`].
pub(crate) trait Key: Copy {
    fn at(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! keys {
    ($($name:ident),*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(usize);

        impl Key for $name {
            fn at(index: usize) -> Self { Self(index) }
            fn index(self) -> usize { self.0 }
        }
    )*};
}
keys!(QueueId, ConsumerId);

/// Values by small keys, which are used again once their value is removed.
pub(crate) struct Slab<K, V> {
    places: Vec<Option<V>>,
    free: Vec<usize>,
    key: PhantomData<fn() -> K>,
}

impl<K: Key, V> Slab<K, V> {
    pub(crate) fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new(), key: PhantomData }
    }

    pub(crate) fn insert(&mut self, value: V) -> K {
        match self.free.pop() {
            Some(index) => {
                self.places[index] = Some(value);
                K::at(index)
            }
            None => {
                self.places.push(Some(value));
                K::at(self.places.len() - 1)
            }
        }
    }

    pub(crate) fn get(&self, key: K) -> Option<&V> {
        self.places.get(key.index()).and_then(Option::as_ref)
    }

    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.places.get_mut(key.index()).and_then(Option::as_mut)
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let value = self.places.get_mut(key.index())?.take()?;
        self.free.push(key.index());
        Some(value)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.places.iter().flatten()
    }
}
