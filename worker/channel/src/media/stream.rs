//! An HLS stream or a plain video file, checked when its channel is loaded.

use std::collections::BTreeSet;

use bytes::Bytes;
use m3u8_rs::{MediaPlaylist, MediaSegment, Playlist};
use touchline_protocol::limits::Limit;

const MAX_SEGMENTS: usize = 43_200;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "media.segments",
    MAX_SEGMENTS as u64,
    "segments",
    "Segments in a playlist: a day of 2 s segments.",
)];

/// A stream: the playlist for players and all files of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Folder within `media/`, with a trailing slash, or empty.
    pub base: String,
    /// Playlist or file for players, within `base`.
    pub entry: String,
    /// All files of the stream, within `base`. Nothing else is served under its mounts.
    pub files: BTreeSet<String>,
    /// Qualities, best first; empty for a plain file.
    pub variants: Vec<Variant>,
    /// Separate audio, captions and I-frames.
    pub extras: Vec<Variant>,
}

/// A quality of a stream, or a playlist that accompanies the qualities.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its playlist, within the stream's `base`.
    pub path: String,
    /// The parsed playlist.
    pub playlist: MediaPlaylist,
    /// Bits per second.
    pub bandwidth: u64,
    /// Whether segments contain both audio and video, so that they can be joined into one file.
    pub is_whole: bool,
}

impl Variant {
    /// Returns the files that form a fragmented MP4 or a transport stream when joined, within the stream's `base`.
    pub fn segment_files(&self) -> Vec<String> {
        let first = self.playlist.segments.first().and_then(|segment| segment.map.as_ref());
        let parts = first.map(|map| &map.uri).into_iter().chain(self.playlist.segments.iter().map(|part| &part.uri));
        parts.filter_map(|uri| resolve(&self.path, uri)).collect()
    }

    /// Returns its length in milliseconds.
    pub fn length_ms(&self) -> u64 {
        self.playlist.segments.iter().map(length_ms).sum()
    }
}

/// Returns whether segments form one file when joined: a restarted encoder has another init section or resets its
/// timestamps.
pub(crate) fn is_continuous(segments: &[MediaSegment]) -> bool {
    let Some((first, later)) = segments.split_first() else { return false };
    !segments.iter().any(is_gap)
        && later.iter().all(|later| !later.discontinuity && (later.map.is_none() || later.map == first.map))
}

/// Returns a segment's length in milliseconds. It is at least 1, so that loops over segments end.
pub(crate) fn length_ms(segment: &MediaSegment) -> u64 {
    ((f64::from(segment.duration) * 1000.0).round() as u64).max(1)
}

impl Stream {
    /// Reads the stream with the entry `path` within `media/`. `read` returns a file's bytes, or `None` if it does not
    /// exist.
    ///
    /// # Errors
    /// All faults, each as a sentence with the file's name.
    pub fn read(path: &str, read: impl Fn(&str) -> Option<Bytes>) -> Result<Self, Vec<String>> {
        let (base, entry) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
        let base = if base.is_empty() { String::new() } else { format!("{base}/") };
        let files = BTreeSet::from([entry.to_owned()]);
        let mut stream = Self { base, entry: entry.to_owned(), files, variants: Vec::new(), extras: Vec::new() };
        if !is_playlist(path) {
            return Ok(stream);
        }
        let mut faults = Vec::new();
        let base = stream.base.clone();
        let at = |file: &str| format!("{base}{file}");
        let master = match parse(&at(entry), read(&at(entry))) {
            Ok(Playlist::MasterPlaylist(master)) => master,
            Ok(Playlist::MediaPlaylist(playlist)) => {
                let variant = Variant { path: entry.to_owned(), playlist, bandwidth: 0, is_whole: true };
                stream.add(variant, &read, &mut faults);
                return if faults.is_empty() { Ok(stream) } else { Err(faults) };
            }
            Err(fault) => return Err(vec![fault]),
        };
        let mut playlists = Vec::new();
        for variant in &master.variants {
            let alone = master
                .alternatives
                .iter()
                .all(|other| other.uri.is_none() || Some(&other.group_id) != variant.audio.as_ref());
            playlists.push((variant.uri.clone(), variant.bandwidth, alone, !variant.is_i_frame));
        }
        for uri in master.alternatives.iter().filter_map(|other| other.uri.clone()) {
            playlists.push((uri, 0, false, false));
        }
        for (uri, bandwidth, is_whole, is_quality) in playlists {
            let Some(file) = resolve(entry, &uri) else {
                faults.push(format!("media/{path}: `{uri}` is outside its folder"));
                continue;
            };
            match parse(&at(&file), read(&at(&file))) {
                Ok(Playlist::MediaPlaylist(playlist)) => {
                    let read_variant = Variant { path: file, playlist, bandwidth, is_whole };
                    stream.add(read_variant, &read, &mut faults);
                    if !is_quality {
                        stream.extras.extend(stream.variants.pop());
                    }
                }
                Ok(Playlist::MasterPlaylist(_)) => faults.push(format!("media/{}: is a master playlist", at(&file))),
                Err(fault) => faults.push(fault),
            }
        }
        if stream.variants.is_empty() && faults.is_empty() {
            faults.push(format!("media/{path}: contains no streams"));
        }
        stream.variants.sort_by_key(|variant| std::cmp::Reverse(variant.bandwidth));
        if faults.is_empty() { Ok(stream) } else { Err(faults) }
    }

    /// Returns the file name for downloading the best quality, or `None` if its audio is separate.
    pub fn download_name(&self) -> Option<&'static str> {
        let best = self.clippable()?;
        is_continuous(&best.playlist.segments).then_some(())?;
        let map = best.playlist.segments.first()?.map.as_ref();
        Some(if map.is_some() { "download.mp4" } else { "download.ts" })
    }

    /// Returns the playlists that some players refuse, with the reason. The worker serves them nevertheless.
    pub fn faults_for_players(&self) -> Vec<(String, &'static str)> {
        let all = self.variants.iter().chain(&self.extras);
        let without = all.filter(|variant| variant.playlist.target_duration == 0);
        let why = "has no EXT-X-TARGETDURATION, without which Safari does not play it";
        without.map(|variant| (format!("media/{}{}", self.base, variant.path), why)).collect()
    }

    /// Returns the playlist at `path` within `base`, of a quality or beside them.
    pub fn playlist(&self, path: &str) -> Option<&Variant> {
        self.variants.iter().chain(&self.extras).find(|variant| variant.path == path)
    }

    /// Returns the best quality if its segments can be played alone: audio and video together, unencrypted.
    pub fn clippable(&self) -> Option<&Variant> {
        let best = self.variants.first().filter(|variant| variant.is_whole)?;
        let segments = &best.playlist.segments;
        segments.iter().all(|segment| segment.key.is_none() && segment.byte_range.is_none()).then_some(best)
    }

    /// Returns the name for downloading the stream as one file. A plain file keeps its name.
    pub fn file_name(&self) -> Option<&str> {
        if self.variants.is_empty() { Some(&self.entry) } else { self.download_name() }
    }

    /// Returns the files that the download is joined from, within `base`.
    pub fn parts(&self) -> Vec<String> {
        self.variants.first().map_or_else(|| vec![self.entry.clone()], Variant::segment_files)
    }

    /// Adds a media playlist and its files.
    fn add(&mut self, variant: Variant, read: &impl Fn(&str) -> Option<Bytes>, faults: &mut Vec<String>) {
        let playlist = format!("media/{}{}", self.base, variant.path);
        let segments = &variant.playlist.segments;
        if segments.is_empty() {
            faults.push(format!("{playlist}: has no segments"));
        }
        if segments.len() > MAX_SEGMENTS {
            faults.push(format!("{playlist}: has too many segments: at most {MAX_SEGMENTS}"));
            return;
        }
        let maps = segments.iter().filter_map(|segment| segment.map.as_ref()).map(|map| &map.uri);
        let keys = segments.iter().filter_map(|segment| segment.key.as_ref()?.uri.as_ref());
        let named: BTreeSet<_> = segments.iter().map(|segment| &segment.uri).chain(maps).chain(keys).collect();
        let gaps: BTreeSet<_> = segments.iter().filter(|segment| is_gap(segment)).map(|gap| &gap.uri).collect();
        for uri in named {
            match resolve(&variant.path, uri) {
                // Players do not request it.
                Some(file) if gaps.contains(uri) && read(&format!("{}{file}", self.base)).is_none() => {}
                None => faults.push(format!("{playlist}: `{uri}` is outside its folder")),
                Some(file) if read(&format!("{}{file}", self.base)).is_none() => {
                    faults.push(format!("{playlist}: media/{}{file} does not exist", self.base));
                }
                Some(file) => drop(self.files.insert(file)),
            }
        }
        self.files.insert(variant.path.clone());
        self.variants.push(variant);
    }
}

fn parse(path: &str, bytes: Option<Bytes>) -> Result<Playlist, String> {
    let bytes = bytes.ok_or_else(|| format!("media/{path} does not exist"))?;
    m3u8_rs::parse_playlist_res(&bytes).map_err(|_| format!("media/{path}: is not an HLS playlist"))
}

/// Resolves `uri` relative to `playlist`, as browsers do, and without its query. Returns `None` if it leaves the stream's
/// folder.
pub(crate) fn resolve(playlist: &str, uri: &str) -> Option<String> {
    let path = path_of(uri);
    if path.is_empty() || path.ends_with('/') || path.contains([':', '%', '\\']) {
        return None;
    }
    let mut steps: Vec<&str> = playlist.split('/').collect();
    steps.pop();
    for step in path.split('/') {
        match step {
            "" => return None,
            "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    let is_file = path.rsplit('/').next().is_some_and(|name| name != "." && name != "..");
    is_file.then(|| steps.join("/"))
}

/// Returns a relative URI without query and fragment.
pub(crate) fn path_of(uri: &str) -> &str {
    uri.split(['?', '#']).next().unwrap_or_default()
}

/// Returns whether a segment is marked as missing.
pub(crate) fn is_gap(segment: &MediaSegment) -> bool {
    segment.unknown_tags.iter().any(|tag| tag.tag == "X-GAP")
}

/// Returns whether this is an HLS playlist, by its name.
pub(crate) fn is_playlist(path: &str) -> bool {
    path.ends_with(".m3u8")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASTER: &str = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100\nlow/index.m3u8\n\
                          #EXT-X-STREAM-INF:BANDWIDTH=900\nhigh/index.m3u8\n";
    const MEDIA: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"init.mp4\"\n\
                         #EXTINF:4.0,\na.m4s\n#EXTINF:3.5,\nb.m4s\n#EXT-X-ENDLIST\n";

    fn files(missing: &'static str) -> impl Fn(&str) -> Option<Bytes> {
        move |path| match path.strip_prefix("hls/court/")? {
            there if there == missing => None,
            "master.m3u8" => Some(MASTER.into()),
            "low/index.m3u8" | "high/index.m3u8" => Some(MEDIA.into()),
            _ => Some(Bytes::new()),
        }
    }

    #[test]
    fn a_stream_lists_its_qualities_best_first_and_all_its_files() {
        let stream = Stream::read("hls/court/master.m3u8", files("")).unwrap();
        assert_eq!(
            stream.variants.iter().map(|v| v.path.as_str()).collect::<Vec<_>>(),
            ["high/index.m3u8", "low/index.m3u8"]
        );
        assert_eq!(stream.files.len(), 1 + 2 * 4);
        assert!(stream.files.contains("low/init.mp4"));
        assert_eq!(stream.variants[0].segment_files(), ["high/init.mp4", "high/a.m4s", "high/b.m4s"]);
        assert_eq!(stream.variants[0].length_ms(), 7500);
    }

    #[test]
    fn a_missing_file_is_named() {
        for missing in ["master.m3u8", "low/index.m3u8", "high/b.m4s", "high/init.mp4"] {
            let faults = Stream::read("hls/court/master.m3u8", files(missing)).unwrap_err();
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].contains(missing), "{faults:?}");
        }
    }

    #[test]
    fn a_playlist_cannot_name_files_outside_its_folder() {
        for uri in
            ["../../secret", "/etc/passwd", "https://else.where/x", "a//b", "..", "a/%2e%2e/b", "a/../../x", "?v"]
        {
            let playlist = format!("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\n{uri}\n#EXT-X-ENDLIST\n");
            let faults = Stream::read("x.m3u8", |_| Some(playlist.clone().into())).unwrap_err();
            assert!(faults[0].contains("is outside its folder"), "{uri}: {faults:?}");
        }
    }

    /// As packagers write them.
    #[test]
    fn a_playlist_may_name_its_files_as_browsers_resolve_them() {
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=900\n./v0/index.m3u8?token=1\n";
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"../v0/./init.mp4?v=1\"\n#EXTINF:4.0,\n\
                     seg.m4s?v=1#t\n#EXT-X-GAP\n#EXTINF:4.0,\nmissing.m4s\n#EXTINF:4.0,\nb.m4s\n";
        let read = |path: &str| match path {
            "m.m3u8" => Some(master.into()),
            "v0/index.m3u8" => Some(media.into()),
            "v0/init.mp4" | "v0/seg.m4s" | "v0/b.m4s" => Some(Bytes::new()),
            _ => None,
        };
        let stream = Stream::read("m.m3u8", read).unwrap();
        let files: Vec<_> = stream.files.iter().map(String::as_str).collect();
        assert_eq!(files, ["m.m3u8", "v0/b.m4s", "v0/index.m3u8", "v0/init.mp4", "v0/seg.m4s"]);
        assert_eq!(stream.download_name(), None, "a segment is missing");
    }

    #[test]
    fn a_missing_target_duration_is_a_fault_of_players_only() {
        let without = "#EXTM3U\n#EXTINF:4.0,\na.ts\n#EXT-X-ENDLIST\n";
        let read = |text: &'static str| Stream::read("hls/x.m3u8", move |_| Some(text.into())).unwrap();
        let faults = read(without).faults_for_players();
        assert!(faults[0].0 == "media/hls/x.m3u8" && faults[0].1.contains("EXT-X-TARGETDURATION"), "{faults:?}");
        assert!(read(MEDIA).faults_for_players().is_empty());
    }

    #[test]
    fn separate_audio_is_checked_but_is_not_a_quality() {
        let master = "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"sound/index.m3u8\"\n\
                      #EXT-X-STREAM-INF:BANDWIDTH=900,AUDIO=\"a\"\nhigh/index.m3u8\n";
        let stream = Stream::read("m.m3u8", |path| Some(if path == "m.m3u8" { master } else { MEDIA }.into())).unwrap();
        assert_eq!(stream.variants.len(), 1);
        assert!(!stream.variants[0].is_whole);
        assert!(stream.files.contains("sound/a.m4s"));
        assert!(stream.playlist("sound/index.m3u8").is_some());
    }

    #[test]
    fn i_frames_are_files_of_the_stream_but_not_a_quality() {
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=900\nhigh/index.m3u8\n\
                      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9,URI=\"high/keys.m3u8\"\n";
        let keys = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-I-FRAMES-ONLY\n\
                    #EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:4,\n#EXT-X-BYTERANGE:50@0\na.m4s\n#EXT-X-ENDLIST\n";
        let read = |path: &str| {
            let text = if path == "m.m3u8" {
                master
            } else if path.ends_with("keys.m3u8") {
                keys
            } else {
                MEDIA
            };
            Some(text.into())
        };
        let stream = Stream::read("m.m3u8", read).unwrap();
        assert_eq!(stream.variants.len(), 1);
        assert!(stream.variants[0].is_whole && stream.clippable().is_some());
        assert!(stream.files.contains("high/keys.m3u8"));
        let looped = crate::media::live::playlist(&stream, stream.playlist("high/keys.m3u8").unwrap(), 0, 60_000, 0);
        assert!(looped.contains("#EXT-X-I-FRAMES-ONLY") && looped.contains("#EXT-X-BYTERANGE:50@0"), "{looped}");
    }

    #[test]
    fn a_plain_file_is_a_stream_of_one_file() {
        let stream = Stream::read("clips/a.mp4", |_| None).unwrap();
        assert_eq!((stream.base.as_str(), stream.entry.as_str()), ("clips/", "a.mp4"));
        assert_eq!(stream.files, BTreeSet::from(["a.mp4".to_owned()]));
    }
}
