use std::sync::atomic::{AtomicUsize, Ordering};

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use tempfile::TempDir;

use super::*;

#[derive(Debug)]
struct Counted {
    bytes: Bytes,
    reads: AtomicUsize,
}

impl ChannelSource for Counted {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        Ok(vec![self.file()])
    }

    fn read(&self, _: &str) -> io::Result<Bytes> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        Ok(self.bytes.clone())
    }
}

impl Counted {
    fn file(&self) -> SourceFile {
        SourceFile { path: "meadow/media/posters/a.jpg".into(), len: self.bytes.len() as u64, stamp: 7 }
    }

    fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }
}

fn photograph() -> (Arc<Counted>, Arc<dyn ChannelSource>) {
    let picture = RgbImage::from_fn(700, 400, |x, y| Rgb([(x % 256) as u8, (y % 256) as u8, 40]));
    let mut bytes = Vec::new();
    DynamicImage::from(picture).write_to(&mut io::Cursor::new(&mut bytes), ImageFormat::Jpeg).unwrap();
    let counted = Arc::new(Counted { bytes: bytes.into(), reads: AtomicUsize::new(0) });
    (Arc::clone(&counted), counted)
}

async fn pictures(folder: &TempDir) -> Pictures {
    Pictures::open(folder.path().join("pictures"), Disk::new(0)).await
}

/// `FAST-6`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_resized_once_for_many_viewers_and_survives_a_restart() {
    let (counted, source) = photograph();
    let folder = tempfile::tempdir().unwrap();
    let one = pictures(&folder).await;
    let file = counted.file();
    let all = futures_util::future::join_all((0..20).map(|_| one.get(&source, &file, 320))).await;
    assert!(all.iter().all(|picture| picture.is_some() && *picture == all[0]));
    assert_eq!(counted.reads(), 1);
    // An unfinished file of a killed worker is removed.
    let unfinished = folder.path().join("pictures/0.begun");
    fs::write(&unfinished, "half").unwrap();
    let again = pictures(&folder).await;
    assert_eq!(again.get(&source, &file, 320).await, all[0]);
    assert_eq!((counted.reads(), unfinished.exists()), (1, false));
    // A replaced photograph is a different one.
    let changed = SourceFile { stamp: 8, ..file.clone() };
    assert_ne!(again.get(&source, &changed, 320).await.unwrap().0, all[0].as_ref().unwrap().0);
    assert_eq!(counted.reads(), 2);
}

#[tokio::test]
async fn a_picture_removed_by_hand_is_created_again() {
    let (counted, source) = photograph();
    let folder = tempfile::tempdir().unwrap();
    let pictures = pictures(&folder).await;
    let (name, bytes) = pictures.get(&source, &counted.file(), 640).await.unwrap();
    for damage in [&b""[..], b"cut"] {
        fs::write(folder.path().join("pictures").join(&name), damage).unwrap();
        assert_eq!(pictures.get(&source, &counted.file(), 640).await, Some((name.clone(), bytes.clone())));
    }
    fs::remove_dir_all(folder.path().join("pictures")).unwrap();
    assert_eq!(pictures.get(&source, &counted.file(), 640).await, Some((name, bytes)));
    assert_eq!(counted.reads(), 4);
}

#[tokio::test]
async fn damaged_pictures_are_tried_once_and_a_full_disk_again() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = Arc::new(Counted { bytes: Bytes::from_static(b"no picture"), reads: AtomicUsize::new(0) });
    let source: Arc<dyn ChannelSource> = Arc::<Counted>::clone(&damaged);
    let open = pictures(&folder).await;
    for _ in 0..3 {
        assert_eq!(open.get(&source, &damaged.file(), 320).await, None);
    }
    assert_eq!(damaged.reads(), 1);
    let drawing = SourceFile { path: "meadow/media/crests/a.svg".into(), ..damaged.file() };
    assert_eq!(open.get(&source, &drawing, 320).await, None);
    let vast = SourceFile { len: resize::MAX_BYTES + 1, ..damaged.file() };
    assert_eq!(open.get(&source, &vast, 320).await, None);
    assert_eq!(damaged.reads(), 1, "neither file is opened");

    let (counted, source) = photograph();
    let full = Pictures::open(folder.path().join("full"), Disk::new(1 << 60)).await;
    for _ in 0..2 {
        assert_eq!(full.get(&source, &counted.file(), 320).await, None);
    }
    assert_eq!((counted.reads(), folder.path().join("full").exists()), (2, false));
}
