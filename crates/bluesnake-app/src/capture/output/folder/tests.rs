use super::*;

/// A place with an old tree, and a new one next to it.
fn place() -> (TempDir, [PathBuf; 3]) {
    let place = tempfile::tempdir().unwrap();
    let paths = ["new", "old", "docs"].map(|name| place.path().join(name));
    for (folder, text) in [(&paths[0], "new"), (&paths[2], "old")] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("page.md"), text).unwrap();
    }
    (place, paths)
}

#[test]
fn a_swap_in_two_steps_leaves_the_new_tree_in_place() {
    let (_place, [new, old, docs]) = place();
    swap_in_two_steps(&new, &old, &docs).unwrap();
    assert_eq!(fs::read(docs.join("page.md")).unwrap(), b"new");
    assert_eq!(fs::read(old.join("page.md")).unwrap(), b"old");
}

#[test]
fn a_swap_that_fails_at_its_second_step_puts_the_old_tree_back() {
    let (_place, [new, old, docs]) = place();
    fs::remove_dir_all(&new).unwrap();
    swap_in_two_steps(&new, &old, &docs).unwrap_err();
    assert_eq!(fs::read(docs.join("page.md")).unwrap(), b"old");
    assert!(!old.exists());
}

#[test]
fn only_we_may_enter_a_tree_while_it_is_written() {
    let place = tempfile::tempdir().unwrap();
    let mut folder = Folder::create(&place.path().join("docs")).unwrap();
    folder.start("a/b/c.md").unwrap();
    folder.append(b"text").unwrap();

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(folder.passing.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
    assert!(!place.path().join("docs").exists());
    drop(folder);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_file_is_never_written_twice() {
    let place = tempfile::tempdir().unwrap();
    let mut folder = Folder::create(&place.path().join("docs")).unwrap();
    folder.start("a.md").unwrap();
    assert_eq!(folder.start("a.md").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn two_captures_of_one_name_do_not_disturb_each_other() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    let [mut first, mut second] = [(); 2].map(|()| Folder::create(&docs).unwrap());
    for (folder, text) in [(&mut first, b"first"), (&mut second, b"again")] {
        folder.start("a.md").unwrap();
        folder.append(text).unwrap();
    }

    first.finish().unwrap();
    assert_eq!(fs::read(docs.join("a.md")).unwrap(), b"first");
    second.finish().unwrap();

    assert_eq!(fs::read(docs.join("a.md")).unwrap(), b"again");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn files_created_meanwhile_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    let mut folder = Folder::create(&docs).unwrap();
    folder.start("a.md").unwrap();
    fs::create_dir(&docs).unwrap();
    fs::write(docs.join("thesis.tex"), "years of work").unwrap();

    folder.finish().unwrap_err();

    assert_eq!(fs::read(docs.join("thesis.tex")).unwrap(), b"years of work");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn an_unwritable_target_is_reported_before_the_work() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    for (name, why) in [("missing/docs", "entity not found"), ("file/docs", "not a directory")] {
        let told = check(&place.path().join(name)).unwrap_err();
        let folder = place.path().join(name);
        assert_eq!(told.to_string(), format!("cannot write to {}: {why}", parent(&folder).display()));
        assert!(told.hint().unwrap().contains("writable location"));
    }
    check(&place.path().join("docs")).unwrap();
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left of the attempt");
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_where_another_file_system_begins_cannot_change_places() {
    let place = tempfile::tempdir().unwrap();
    assert!(is_mount_point(Path::new("/proc")));
    assert!(!is_mount_point(place.path()) && !is_mount_point(&place.path().join("missing")));
}
