//! The category tree.

use std::collections::HashMap;

use touchline_protocol::catalogue::EventCategory;

/// The category tree with an index of parents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Categories {
    tree: Vec<EventCategory>,
    parent: HashMap<i64, Option<i64>>,
}

impl Categories {
    /// Creates the index. Ids in the tree must be unique.
    pub fn new(tree: Vec<EventCategory>) -> Self {
        fn note(nodes: &[EventCategory], above: Option<i64>, parent: &mut HashMap<i64, Option<i64>>) {
            for node in nodes {
                parent.insert(node.id, above);
                note(&node.children, Some(node.id), parent);
            }
        }
        let mut parent = HashMap::new();
        note(&tree, None, &mut parent);
        Self { tree, parent }
    }

    /// Returns the top-level categories: sports.
    pub fn tree(&self) -> &[EventCategory] {
        &self.tree
    }

    /// Returns whether the category exists.
    pub fn contains(&self, id: i64) -> bool {
        self.parent.contains_key(&id)
    }

    /// Returns the category with this id.
    pub fn get(&self, id: i64) -> Option<&EventCategory> {
        fn find(nodes: &[EventCategory], id: i64) -> Option<&EventCategory> {
            nodes.iter().find_map(|node| if node.id == id { Some(node) } else { find(&node.children, id) })
        }
        find(&self.tree, id)
    }

    /// Returns the category and its ancestors, nearest first.
    pub fn line(&self, id: i64) -> impl Iterator<Item = i64> + '_ {
        let first = self.parent.contains_key(&id).then_some(id);
        std::iter::successors(first, |id| self.parent.get(id).copied().flatten())
    }

    /// Returns whether `category` is `descendant` or one of its ancestors.
    pub fn covers(&self, category: i64, descendant: i64) -> bool {
        self.line(descendant).any(|id| id == category)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: i64, children: Vec<EventCategory>) -> EventCategory {
        EventCategory { id, name: String::new(), alias: String::new(), sport: String::new(), children }
    }

    #[test]
    fn a_category_covers_itself_and_its_descendants_only() {
        let categories = Categories::new(vec![node(1, vec![node(11, vec![node(111, vec![])])]), node(2, vec![])]);
        for (category, descendant, covers) in [
            (1, 1, true),
            (1, 11, true),
            (1, 111, true),
            (11, 111, true),
            (11, 1, false),
            (2, 111, false),
            (9, 9, false),
        ] {
            assert_eq!(categories.covers(category, descendant), covers, "{category} over {descendant}");
        }
    }
}
