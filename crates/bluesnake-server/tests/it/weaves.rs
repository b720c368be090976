//! Weaves over HTTP: started, shown, listed, counted, downloaded.

use serde_json::{Value, json};
use testsite::{Reply, Running, Site, Web};

use crate::world::{World, local, merge};

async fn weave(world: &World, site: &Running, body: Value) -> i64 {
    let resolve = format!("*.test:127.0.0.1:{}", site.port());
    let mut whole = json!({"settings": {
        "fetch": {"resolve": [resolve]}, "politeness": {"rate": 0}, "weave": {"max_outbound_links": 0},
    }});
    merge(&mut whole, body);
    let started = world.post("/api/v1/weaves", &whole).await.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    started["runId"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_is_woven_listed_counted_and_downloaded() {
    let site = Web::hosts_graph(2, 30, 2).start().await;
    let world = World::start("weaves", local()).await;
    let run = weave(&world, &site, json!({"url": site.url_on("h0.test", "/")})).await;

    let shown = world.get(&format!("/api/v1/weaves/{run}")).await.is(200).json();
    assert_eq!(
        (&shown["nodes"], &shown["nodesCrawled"], &shown["state"]),
        (&json!(30), &json!(30), &json!("completed"))
    );
    let mut hosts = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = world.get(&format!("/api/v1/weaves/{run}/nodes?limit=7&cursor={cursor}")).await.is(200).json();
        hosts.extend(page["items"].as_array().unwrap().iter().map(|row| row["host"].as_str().unwrap().to_owned()));
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = next.to_owned();
    }
    assert_eq!(hosts.len(), 30);
    let found = world.get(&format!("/api/v1/weaves/{run}/nodes?search=h29.")).await.is(200).json();
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    let edges = world.get(&format!("/api/v1/weaves/{run}/edges?limit=1000")).await.is(200).json();
    assert_eq!(edges["items"].as_array().unwrap().len() as i64, shown["edges"].as_i64().unwrap());
    let of_host = world.get(&format!("/api/v1/weaves/{run}/edges?host={}", hosts[3])).await.is(200).json();
    let touches = |row: &Value| row["from"] == hosts[3].as_str() || row["to"] == hosts[3].as_str();
    assert!(of_host["items"].as_array().unwrap().iter().all(touches));
    let counts = world.get(&format!("/api/v1/weaves/{run}/statistics")).await.is(200).json();
    assert_eq!((&counts["nodes"], &counts["edges"]), (&json!(30), &shown["edges"]));
    let part = world.get(&format!("/api/v1/weaves/{run}/statistics?root={}&depth=1", hosts[3])).await.is(200).json();
    assert!(part["nodes"].as_i64().unwrap() < 30);

    let picture = world.get(&format!("/api/v1/weaves/{run}/picture?limit=10")).await.is(200).json();
    assert_eq!((&picture["hosts"], &picture["links"]), (&json!(30), &shown["edges"]));
    let nodes = picture["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 10);
    let ranks: Vec<f64> = nodes.iter().map(|node| node["pagerank"].as_f64().unwrap()).collect();
    assert!(ranks.is_sorted_by(|one, next| one >= next), "{ranks:?}");
    let ends = picture["edges"].as_array().unwrap().iter().flat_map(|edge| [&edge[0], &edge[1]]);
    assert!(ends.into_iter().all(|end| end.as_u64().unwrap() < 10));
    let again = world.get(&format!("/api/v1/weaves/{run}/picture?limit=10")).await.is(200).json();
    assert_eq!(picture, again, "the same graph has the same picture");
    world.get(&format!("/api/v1/weaves/{run}/picture?limit=0")).await.is(422);
    world.get(&format!("/api/v1/weaves/{run}/picture?root=nowhere.test")).await.is(422);

    let download = async |query: &str| world.get(&format!("/api/v1/runs/{run}/export?{query}")).await.is(200).text();
    let csv = download("table=nodes").await;
    assert_eq!(csv.lines().count(), 31);
    assert!(csv.starts_with("number,host,domain,description,depth,crawl_count"), "{csv}");
    for (format, part) in
        [("gexf", "<gexf"), ("graphml", "<graphml"), ("dot", "digraph"), ("json", "\"nodes\""), ("svg", "<svg")]
    {
        assert!(download(&format!("format={format}")).await.contains(part), "{format}");
    }
    assert_eq!(download("format=common_crawl&part=0").await, download("format=common-crawl&part=0").await);
    assert_eq!(download("format=common_crawl&part=0").await.lines().count(), 30);
    for refused in ["table=nodes&minWeight=2", "table=edges&root=a.test", "table=pages", "format=sitemap"] {
        world.get(&format!("/api/v1/runs/{run}/export?{refused}")).await.is(422);
    }
    assert!(download("format=csv_pair&part=1").await.starts_with("source,target,width,color"));
    world.get(&format!("/api/v1/runs/{run}/export?format=common_crawl&part=3")).await.is(422);

    // Resuming repeats no request, and another host becomes another seed.
    let asked = site.log().len();
    assert_eq!(weave(&world, &site, json!({})).await, run);
    assert_eq!(site.log().len(), asked);
    let fresh = weave(&world, &site, json!({"url": site.url_on("h7.test", "/"), "mode": "fresh"})).await;
    assert_ne!(fresh, run);
}

#[tokio::test(flavor = "multi_thread")]
async fn graphs_are_listed_newest_first_among_other_runs() {
    let site = Web::hosts_graph(2, 12, 1).start().await;
    let world = World::start("weaves-list", local()).await;
    assert_eq!(world.get("/api/v1/weaves").await.is(200).json()["items"], json!([]));
    let mut expected = Vec::new();
    for (host, state) in [("h0.test", "completed"), ("h1.test", "completed"), ("h2.test", "paused")] {
        let seed = site.url_on(host, "/");
        let budget = if state == "paused" { 1 } else { 99 };
        let limits = json!({"limits": {"session_budget": budget}});
        let run = weave(&world, &site, json!({"url": seed, "mode": "fresh", "settings": limits})).await;
        let shown = world.get(&format!("/api/v1/runs/{run}")).await.is(200).json();
        let nodes = world.get(&format!("/api/v1/weaves/{run}")).await.is(200).json()["nodes"].clone();
        assert_eq!((&shown["state"], shown["seeds"].as_array().unwrap().len()), (&json!(state), 1), "{shown}");
        expected.push(json!({
            "runId": run, "projectID": shown["projectID"], "seeds": shown["seeds"], "state": state, "reason": shown["reason"],
            "nodes": nodes, "createdAt": shown["createdAt"], "updatedAt": shown["updatedAt"],
        }));
        for _ in 0..3 {
            world
                .crawl_to_the_end(&site, json!({"mode": "fresh", "settings": {"limits": {"session_budget": 1}}}))
                .await;
        }
    }
    expected.reverse();
    let whole = world.get("/api/v1/weaves").await.is(200).json();
    assert_eq!(whole, json!({"items": expected, "nextCursor": null, "hasMore": false}));

    for limit in 1..=3 {
        let (mut rows, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = world.get(&format!("/api/v1/weaves?limit={limit}&cursor={cursor}")).await.is(200).json();
            let items = page["items"].as_array().unwrap();
            assert!((1..=limit).contains(&items.len()), "{page}");
            rows.extend(items.iter().cloned());
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = next.to_owned();
        }
        assert_eq!(rows, expected, "{limit} at a time");
    }
    world.delete(&format!("/api/v1/runs/{}", expected[1]["runId"])).await.is(204);
    let left = world.get("/api/v1/weaves").await.is(200).json();
    assert_eq!(left["items"], json!([expected[0], expected[2]]));
    world.get("/api/v1/weaves?limit=0").await.is(400);
    world.get("/api/v1/weaves?cursor=nonsense").await.is(422);
    world.get("/api/v1/weaves?state=paused").await.is(400);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_weave_requests_are_reported() {
    let world = World::start("weaves-wrong", local()).await;
    world.post("/api/v1/weaves", &json!({})).await.is(422);
    world.post("/api/v1/weaves", &json!({"url": "mailto:a@b"})).await.is(422);
    let wrong = json!({"url": "a.test", "settings": {"weave": {"max_depth": 0, "exclude": ["*"]}}});
    let problem = world.post("/api/v1/weaves", &wrong).await.is(422).json();
    let fields: Vec<&str> =
        problem["problems"].as_array().unwrap().iter().map(|p| p["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["weave.max_depth", "weave.exclude"]);
    world.post("/api/v1/weaves", &json!({"url": "a.test", "mode": "resume"})).await.is_problem(409, "no_paused_run");
    world.post("/api/v1/weaves", &json!({"url": "a.test", "mode": "fresh", "retryFailed": true})).await.is(422);
    world.get("/api/v1/weaves/99").await.is(404);
    world.get("/api/v1/weaves/99/nodes").await.is(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_hosts_are_retried_and_audit_settings_are_refused() {
    let sick = Reply::sequence([Reply::status(500), Reply::html("<title>well</title>")]);
    let site = Site::new().host("sick.test", Site::new().reply("/", sick)).start().await;
    let world = World::start("weaves-again", local()).await;
    let body = json!({"url": "sick.test", "settings": {"fetch": {"attempts": 1}}});
    let run = weave(&world, &site, body.clone()).await;
    let host = async || world.get(&format!("/api/v1/weaves/{run}/nodes")).await.is(200).json()["items"][0].clone();
    assert_eq!(host().await["reason"], "server_error");
    assert_eq!(weave(&world, &site, body.clone()).await, run);
    assert_eq!(site.seen().count_on("sick.test", "/"), 1, "hosts are retried only on request");
    let mut again = body;
    merge(&mut again, json!({"retryFailed": true}));
    assert_eq!(weave(&world, &site, again).await, run);
    assert_eq!((&host().await["reason"], &host().await["description"]), (&json!("page"), &json!("well")));

    let useless = json!({"url": "sick.test", "settings": {"scope": {"max_depth": 2, "max_urls": 9}}});
    let refused = world.post("/api/v1/weaves", &useless).await.is_problem(422, "invalid_fields");
    let fields: Vec<&str> =
        refused["problems"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["scope.max_depth", "scope.max_urls"]);
    // A crawl has a use for them.
    world.post("/api/v1/crawl", &useless).await.is(202);
}
