use serde_json::json;

use crate::app::App;

#[tokio::test]
async fn page_lists_omit_the_content_and_single_pages_have_it() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let list = app.get(&viewer, "pages").await;
    assert_eq!(
        list.data()[1],
        json!({
            "id": 2, "url": "/season-guide", "alt_name": "season-guide", "name": "Season guide"
        })
    );
    assert_eq!(list.json()["meta"], json!({ "total": 2, "limit": 2, "offset": 0 }));
    assert_eq!(app.get(&viewer, "pages/1").await.data()["content"], "## Who we are");
    app.get(&viewer, "pages/9").await.fails(404, "not_found");
    app.get(&viewer, "pages/about").await.fails(404, "not_found");
}

#[tokio::test]
async fn slides_are_listed_in_full_or_by_type() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    assert_eq!(app.get(&viewer, "slides/web").await.ids(), [1, 2, 3, 4]);
    for (kind, ids) in [("main", 1), ("category", 2), ("group", 3), ("participant", 4)] {
        assert_eq!(app.get(&viewer, &format!("slides/web?type={kind}")).await.ids(), [ids], "{kind}");
    }
    let main = app.get(&viewer, "slides/web?type=main").await.data();
    assert_eq!(main[0]["image"], "/media/meadow/posters/court.svg");
    let refused = app.get(&viewer, "slides/web?type=banner").await;
    refused.fails(400, "invalid");
    assert!(refused.blames("type").contains("must be equal to one of the allowed values"));
}

#[tokio::test]
async fn the_faq_is_a_list() {
    let app = App::new().await;
    let faq = app.get(&app.visitor().await, "faq").await.data();
    assert_eq!(faq, json!([{ "id": 1, "question": "When?", "answer": "Now.", "section": "Watching" }]));
}

#[tokio::test]
async fn a_form_is_found_by_its_alias() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let form = app.get(&viewer, "custom-forms/contact").await.data();
    assert_eq!(form["fields"][1]["options"], json!(["Watching", "Paying"]));
    app.get(&viewer, "custom-forms/none").await.fails(404, "not_found");
    app.get(&viewer, "custom-forms/%ff").await.fails(404, "not_found");
}
