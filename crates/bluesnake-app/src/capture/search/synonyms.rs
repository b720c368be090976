//! Words that mean the same in most documentation of software.

/// One group per line.
const GROUPS: &str = "abort cancel kill stop terminate
account user
allow let permit
alter change edit modify
app application program
argument parameter
array list
begin launch start
big huge large
blank empty
check test validate verify
clone copy duplicate
combine join merge
computer host machine
config configuration option setting
connection session
credential password
delete erase remove
deny disallow forbid
dictionary mapping
directory folder
display print show
divide split
download fetch
email mail
end finish
error exception failure
exclude ignore skip
execute run
exit quit
fast performance quick speed
find locate search
function method procedure
image picture
immutable readonly
inform notify
latest newest recent
many multiple several
move rename
recover restore
replace substitute
repo repository
revert rollback undo
string text";

/// The other words of a word's group; `is_same` compares a word with one of the table.
pub(super) fn synonyms(is_same: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
    let group = GROUPS.lines().find(|group| group.split(' ').any(&is_same));
    group.into_iter().flat_map(|group| group.split(' ')).filter(move |word| !is_same(word))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_word_has_the_others_of_its_group() {
        assert_eq!(synonyms(|word| word == "erase").collect::<Vec<_>>(), ["delete", "remove"]);
        assert_eq!(synonyms(|word| word == "xylophone").count(), 0);
    }

    #[test]
    fn a_word_is_in_one_group() {
        let words = || GROUPS.split_whitespace();
        assert_eq!(words().collect::<BTreeSet<_>>().len(), words().count());
    }
}
