//! Clips that viewers cut out of recordings (`CLIP`).

/// What a player is given.
pub const PLAYLIST: &str = "index.m3u8";

/// The address of a clip's playlist.
pub fn address(channel_key: &str, uuid: &str) -> String {
    format!("/media/{channel_key}/c/{uuid}/{PLAYLIST}")
}
