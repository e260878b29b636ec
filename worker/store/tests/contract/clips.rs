use touchline_domain::clips::ClipSource;
use touchline_protocol::clips::{Clip, ClipStatus, ClipVisibility};
use touchline_store::{Backlog, CreateClipResult, IdempotencyClaim, NewClip, PublicClips, Scope, WaitingClip};

use crate::{AT, Backend, register};

fn new_clip(user_id: i64, uuid: &str, event_id: i64) -> NewClip {
    NewClip {
        uuid: uuid.to_owned(),
        channel_key: "meadow".to_owned(),
        user_id,
        source: ClipSource::Event(event_id),
        event_media_id: 33,
        name: "A save".to_owned(),
        start_ms: 1_500,
        duration_ms: 4_000,
        tags: vec!["save".to_owned()],
        visibility: ClipVisibility::Link,
        context: None,
        at: AT,
    }
}

fn claim(user_id: i64, key: &str) -> Option<IdempotencyClaim> {
    Some(IdempotencyClaim { user_id, call: "clip".to_owned(), key: key.to_owned(), fingerprint: "f".to_owned() })
}

async fn created(backend: &impl Backend, user_id: i64, uuid: &str, event_id: i64) -> Clip {
    match backend.store().create_clip(new_clip(user_id, uuid, event_id), 10, claim(user_id, uuid)).await.unwrap() {
        CreateClipResult::Clip(clip) => *clip,
        CreateClipResult::TooMany => panic!("there is room"),
    }
}

pub(crate) async fn a_clip_is_stored_with_its_response_count_and_status(backend: impl Backend) {
    let user = register(backend.store(), "ada@example.com").await;
    let clip = created(&backend, user.id, "u1", 3).await;
    let backend = backend.reopened().await;
    let store = backend.store();
    let record = store.clip(clip.id).await.unwrap().unwrap();
    assert_eq!((&record.clip, record.user_id, record.start_ms), (&clip, user.id, 1_500));
    assert_eq!((clip.start_time, clip.duration, clip.status), (1.5, 4.0, ClipStatus::Queued));
    assert_eq!(store.user(user.id).await.unwrap().unwrap().clips, 1);
    let answer = store.stored_response(user.id, "clip", "u1", 0).await.unwrap().unwrap();
    assert!(answer.body.contains("\"queued\""), "{}", answer.body);
    let (_, items) = store.status_snapshot(&Scope::User(user.id)).await.unwrap();
    assert_eq!(items[0].state["uuid"], "u1");
}

pub(crate) async fn a_clip_advances_and_logs_each_status(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let clip = created(&backend, user.id, "u1", 3).await;
    let moved = async |to| store.advance_clip(clip.id, to, AT).await.unwrap().map(|clip| clip.version);
    assert_eq!(moved(ClipStatus::Processing).await, Some(2));
    assert_eq!(moved(ClipStatus::Processing).await, None, "it already has this status");
    assert_eq!(moved(ClipStatus::Queued).await, None, "a status never goes back");
    let waiting = WaitingClip { id: clip.id, user_id: user.id };
    assert_eq!(store.waiting_clips().await.unwrap(), [waiting]);
    assert_eq!(moved(ClipStatus::Ready).await, Some(3));
    assert_eq!(moved(ClipStatus::Failed).await, None, "the status is final");
    assert!(store.waiting_clips().await.unwrap().is_empty());
    let Backlog::Complete(lines) = store.statuses_since(&Scope::User(user.id), 0, 9).await.unwrap() else {
        panic!("the backlog is whole")
    };
    let statuses: Vec<_> = lines.iter().map(|line| (line.version, line.state["status"].as_str().unwrap())).collect();
    assert_eq!(statuses, [(1, "queued"), (2, "processing"), (3, "ready")]);
    assert_eq!(lines[2].state["url"], "/media/meadow/c/u1/index.m3u8");
    assert_eq!(lines[1].state.get("url"), None);
}

pub(crate) async fn a_ready_clip_can_be_marked_lost_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let clip = created(&backend, user.id, "u1", 3).await;
    assert_eq!(store.mark_clip_lost(clip.id, AT).await.unwrap(), None, "the clip is not ready");
    assert!(store.ready_clips(0, 9).await.unwrap().is_empty());
    store.advance_clip(clip.id, ClipStatus::Ready, AT).await.unwrap();
    assert_eq!(store.ready_clips(0, 9).await.unwrap()[0].clip.id, clip.id);
    assert!(store.ready_clips(clip.id, 9).await.unwrap().is_empty(), "the id itself is excluded");
    assert_eq!(store.clip_source("meadow", "u1").await.unwrap(), Some(ClipSource::Event(3)));
    assert_eq!(store.clip_source("moor", "u1").await.unwrap(), None);
    assert_eq!(store.clip_source("meadow", "u2").await.unwrap(), None);
    let lost = store.mark_clip_lost(clip.id, AT).await.unwrap().unwrap();
    assert_eq!((lost.status, lost.version, lost.url), (ClipStatus::Failed, 3, None));
    assert_eq!(store.mark_clip_lost(clip.id, AT).await.unwrap(), None);
    let (_, items) = store.status_snapshot(&Scope::User(user.id)).await.unwrap();
    assert_eq!(items[0].state["status"], "failed");
}

pub(crate) async fn clips_are_listed_newest_first_and_by_event(backend: impl Backend) {
    let store = backend.store();
    let (ada, bob) = (register(store, "ada@example.com").await, register(store, "bob@example.com").await);
    for (uuid, event) in [("u1", 3), ("u2", 5), ("u3", 3)] {
        created(&backend, ada.id, uuid, event).await;
    }
    created(&backend, bob.id, "u4", 3).await;
    let uuids = async |user: i64, event: Option<i64>| {
        let clips = store.clips(user, event.map(ClipSource::Event)).await.unwrap();
        clips.into_iter().map(|record| record.clip.uuid).collect::<Vec<_>>()
    };
    assert_eq!(uuids(ada.id, None).await, ["u3", "u2", "u1"]);
    assert_eq!(uuids(ada.id, Some(3)).await, ["u3", "u1"]);
    assert_eq!(uuids(bob.id, None).await, ["u4"]);
    assert_eq!(store.clip_event_ids(ada.id).await.unwrap(), [3, 5]);
    assert_eq!(store.clip_uuids("meadow").await.unwrap().len(), 4);
    assert!(store.clip_uuids("moor").await.unwrap().is_empty());
}

pub(crate) async fn public_clips_are_ready_visible_and_of_unblocked_owners(backend: impl Backend) {
    let store = backend.store();
    let ada = register(store, "ada@example.com").await;
    let make = async |uuid: &str, source, visibility| {
        let new = NewClip { source, visibility, ..new_clip(ada.id, uuid, 0) };
        match store.create_clip(new, 10, None).await.unwrap() {
            CreateClipResult::Clip(clip) => clip.id,
            CreateClipResult::TooMany => panic!("there is room"),
        }
    };
    let event = make("u1", ClipSource::Event(3), ClipVisibility::Public).await;
    let video = make("u2", ClipSource::Video(7), ClipVisibility::Public).await;
    let by_link = make("u3", ClipSource::Event(3), ClipVisibility::Link).await;
    let found = async |which| {
        let clips = store.public_clips("meadow", which, 9).await.unwrap();
        clips.into_iter().map(|record| record.clip.id).collect::<Vec<_>>()
    };
    assert!(found(PublicClips::All).await.is_empty(), "no clip is ready");
    for id in [event, video, by_link] {
        store.advance_clip(id, ClipStatus::Ready, AT).await.unwrap();
    }
    assert_eq!(found(PublicClips::All).await, [video, event]);
    assert_eq!(found(PublicClips::Of(ClipSource::Event(3))).await, [event]);
    assert_eq!(found(PublicClips::Of(ClipSource::Video(7))).await, [video]);
    assert!(found(PublicClips::Of(ClipSource::Video(3))).await.is_empty(), "event ids are not video ids");
    assert_eq!(store.public_clip_event_ids("meadow").await.unwrap(), [3]);
    assert_eq!(store.clip_event_ids(ada.id).await.unwrap(), [3], "a library video is not an event");
    let of_video = store.clips(ada.id, Some(ClipSource::Video(7))).await.unwrap();
    assert_eq!((of_video.len(), of_video[0].source(), of_video[0].clip.event_id), (1, ClipSource::Video(7), None));
    assert_eq!(store.channel_clips("meadow", false, 9).await.unwrap().len(), 3);
    assert_eq!(store.channel_clips("meadow", true, 9).await.unwrap().len(), 2);
    assert!(store.channel_clips("moor", false, 9).await.unwrap().is_empty());

    let hidden = store.hide_clip(event, true, AT).await.unwrap().unwrap();
    assert_eq!((hidden.is_hidden, hidden.url, hidden.version), (true, None, 3));
    assert_eq!(store.hide_clip(event, true, AT).await.unwrap().unwrap().version, 3, "it is already hidden");
    assert_eq!(store.clip_source("meadow", "u1").await.unwrap(), None, "its link is invalid");
    assert_eq!(found(PublicClips::All).await, [video]);
    let visible = store.hide_clip(event, false, AT).await.unwrap().unwrap();
    assert_eq!((visible.is_hidden, visible.url.is_some()), (false, true));
    assert_eq!(store.hide_clip(99, true, AT).await.unwrap(), None);

    store.change_user(ada.id, touchline_store::UserChange::blocking(true, AT), &[]).await.unwrap();
    assert!(found(PublicClips::All).await.is_empty());
    assert!(store.public_clip_event_ids("meadow").await.unwrap().is_empty());
}

pub(crate) async fn a_deleted_clip_is_in_no_snapshot_or_backlog(backend: impl Backend) {
    let store = backend.store();
    let (ada, bob) = (register(store, "ada@example.com").await, register(store, "bob@example.com").await);
    let clip = created(&backend, ada.id, "u1", 3).await;
    created(&backend, ada.id, "u2", 3).await;
    assert_eq!(store.delete_clip(bob.id, clip.id).await.unwrap(), None, "another's");
    assert!(store.delete_clip(ada.id, clip.id).await.unwrap().is_some());
    assert_eq!(store.delete_clip(ada.id, clip.id).await.unwrap(), None);
    assert_eq!(store.advance_clip(clip.id, ClipStatus::Ready, AT).await.unwrap(), None);
    let scope = Scope::User(ada.id);
    assert_eq!(store.status_snapshot(&scope).await.unwrap().1.len(), 1);
    assert_eq!(store.statuses_since(&scope, 0, 9).await.unwrap(), Backlog::Unavailable);
}

pub(crate) async fn clips_are_limited_per_user(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    created(&backend, user.id, "u1", 3).await;
    let refused = store.create_clip(new_clip(user.id, "u2", 3), 1, claim(user.id, "u2")).await.unwrap();
    assert_eq!(refused, CreateClipResult::TooMany);
    assert!(store.stored_response(user.id, "clip", "u2", 0).await.unwrap().is_none());
    assert_eq!(store.user(user.id).await.unwrap().unwrap().clips, 1);
}
