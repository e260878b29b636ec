//! Pictures that are damaged, or whose files contain more than a picture (`FAST-6`).

use std::fs;
use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use reqwest::StatusCode;

use crate::demo_channel::demo_channel;
use crate::support::{Worker, folder};

const SIDE: u32 = 700;
/// The unpacked size of the profile and of the text in a picture's file.
const BOMB: usize = 256 << 20;

fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(content);
    let length = u32::try_from(content.len()).unwrap();
    [&length.to_be_bytes()[..], kind, content, &crc.sum().to_be_bytes()].concat()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A grey PNG with a colour profile and a text that unpack to much more than the picture.
fn png() -> Vec<u8> {
    let header = [&SIDE.to_be_bytes()[..], &SIDE.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let line: Vec<u8> = std::iter::once(0).chain((0..SIDE).map(|x| (x % 256) as u8)).collect();
    let bomb = zlib(&vec![0; BOMB]);
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &header),
        chunk(b"iCCP", &[&b"profile\0\0"[..], &bomb].concat()),
        chunk(b"zTXt", &[&b"Comment\0\0"[..], &bomb].concat()),
        chunk(b"IDAT", &zlib(&line.repeat(SIDE as usize))),
        chunk(b"IEND", b""),
    ]
    .concat()
}

/// The most memory that a worker has taken so far, in bytes.
fn peak(worker: &Worker) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", worker.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// Shows FAST-6a, FAST-6b, FAST-6d, FAST-6e.
#[tokio::test]
async fn a_damaged_picture_is_sent_unchanged_and_profiles_are_never_unpacked() {
    let (root, data) = folder();
    let channels = root.path().join("channels");
    demo_channel(&channels);
    let posters = channels.join("northfield/media/posters");
    let ice = fs::read(posters.join("ice.jpg")).unwrap();
    fs::write(posters.join("damaged.jpg"), &ice[..200]).unwrap();
    fs::write(posters.join("profile.png"), png()).unwrap();
    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap()]);
    let of = async |name: &str| {
        let answer = worker.get(&format!("/media/northfield/posters/{name}")).await;
        assert_eq!(answer.status(), StatusCode::OK, "{name}");
        let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
        (kind, answer.bytes().await.unwrap())
    };
    let before = of("damaged.jpg").await;
    assert_eq!(of("damaged.jpg?width=320").await, before);
    assert_eq!(before.1, ice[..200]);

    of("ice.jpg?width=320").await;
    let usual = peak(&worker);
    let (kind, bytes) = of("profile.png?width=320").await;
    assert_eq!((kind.as_str(), &bytes[..4]), ("image/webp", &b"RIFF"[..]));
    let more = peak(&worker).saturating_sub(usual);
    assert!(more < BOMB / 4, "{} MiB", more >> 20);
}
