//! Measures a comparison of two runs: `compare DATABASE RUN RUN`.

use std::time::Instant;

use bluesnake_app::compare::{Class, CompareQuery};
use bluesnake_app::{App, AppOptions};

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, a, b] = arguments.as_slice() else { panic!("usage: compare DATABASE RUN RUN") };
    let (a, b) = (a.parse().expect("the number of a run"), b.parse().expect("the number of a run"));
    let app = App::open(AppOptions::new(database)).await.expect("the database opens");
    let started = Instant::now();
    let view = app.compare(a, b).await.expect("the runs can be compared");
    println!("{:.2} s for {} and {} URLs", started.elapsed().as_secs_f64(), view.a.urls, view.b.urls);
    for count in &view.classes {
        println!("{:>9} {}", count.urls, count.class.as_str());
    }
    for (class, offset) in [(None, 0), (Some(Class::Changed), 0), (Some(Class::Same), view.a.urls / 2)] {
        let started = Instant::now();
        let query = CompareQuery { class, offset, ..CompareQuery::default() };
        let window = app.compare_rows(a, b, query).await.expect("rows can be read");
        let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
        println!("{milliseconds:.1} ms for {} of {} rows from {offset}", window.items.len(), window.total);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
}
