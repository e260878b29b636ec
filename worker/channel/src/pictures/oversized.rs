//! Files with more data than their pixels need, one for each kind of chunk. Memory use depends on the pixels only.

use std::io::{Cursor, Write};

use allocation_counter::measure;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::resize::{Photograph, ResizeError};

/// Size of a chunk, compressed or not.
const CHUNK: usize = 24 << 20;
/// Maximum memory for opening an image, besides its 180 by 120 pixels.
const MEMORY: u64 = 3 << 20;

fn photograph(format: ImageFormat) -> Vec<u8> {
    let picture = RgbImage::from_fn(180, 120, |x, y| Rgb([x as u8, y as u8, 40]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(picture).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Opens a file and returns the peak memory use.
fn open(file: &[u8]) -> (Result<Photograph, ResizeError>, u64) {
    let mut opened = None;
    let memory = measure(|| opened = Some(Photograph::open(file))).bytes_max;
    (opened.unwrap(), memory)
}

fn expect_same(file: &[u8], format: ImageFormat, what: &str) {
    let (opened, memory) = open(file);
    assert!(memory < MEMORY, "{what}: {memory} bytes of memory");
    let plain = Photograph::open(&photograph(format)).unwrap();
    let opened = opened.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(opened.facts().unwrap(), plain.facts().unwrap(), "{what}");
}

fn zeros() -> Vec<u8> {
    let mut compressed = ZlibEncoder::new(Vec::new(), Compression::fast());
    compressed.write_all(&vec![0; CHUNK]).unwrap();
    compressed.finish().unwrap()
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    [&(data.len() as u32).to_be_bytes(), &kind[..], data, &crc.sum().to_be_bytes()].concat()
}

/// Returns a PNG with chunks between its header and its pixels.
fn png_with(chunks: &[u8]) -> Vec<u8> {
    let plain = photograph(ImageFormat::Png);
    [&plain[..33], chunks, &plain[33..]].concat()
}

fn png(what: &str, chunks: &[u8]) {
    expect_same(&png_with(chunks), ImageFormat::Png, what);
}

#[test]
fn a_colour_profile_of_a_png_takes_no_memory() {
    png("iCCP", &chunk(b"iCCP", &[b"profile\0\0", &zeros()[..]].concat()));
}

#[test]
fn a_compressed_text_of_a_png_takes_no_memory() {
    png("zTXt", &chunk(b"zTXt", &[b"Raw profile type iptc\0\0", &zeros()[..]].concat()));
}

#[test]
fn an_international_text_of_a_png_takes_no_memory() {
    png("iTXt, compressed", &chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\x01\0\0\0", &zeros()[..]].concat()));
    png("iTXt", &chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", &vec![b'a'; CHUNK][..]].concat()));
}

#[test]
fn texts_of_a_png_take_no_memory() {
    png("tEXt", &chunk(b"tEXt", &[b"Comment\0", &vec![b'a'; CHUNK][..]].concat()));
    png("many of tEXt", &chunk(b"tEXt", b"a\0").repeat(500_000));
}

#[test]
fn camera_data_of_a_png_takes_no_memory() {
    png("eXIf", &chunk(b"eXIf", &[b"MM\0*", &vec![0; CHUNK][..]].concat()));
}

#[test]
fn other_chunks_of_a_png_take_no_memory() {
    png("a private chunk", &chunk(b"prVt", &vec![7; CHUNK]));
    let animation = [chunk(b"acTL", &[0, 0, 0, 9, 0, 0, 0, 0]), chunk(b"fdAT", &vec![0; CHUNK])].concat();
    png("an animation", &animation);
    png("a palette for other pictures", &chunk(b"sPLT", &vec![1; CHUNK]));
}

#[test]
fn unannounced_pixels_take_no_memory() {
    let mut header = photograph(ImageFormat::Png)[..33].to_vec();
    header[16..24].copy_from_slice(&[0, 0, 0, 1, 0, 0, 0, 1]);
    header.splice(8..33, chunk(b"IHDR", &header[16..29]));
    let (opened, memory) = open(&[header, chunk(b"IDAT", &zeros()), chunk(b"IEND", &[])].concat());
    assert!(memory < MEMORY, "{memory}");
    assert_eq!(opened.unwrap().facts().unwrap().width, 1);
}

#[test]
fn giant_sizes_are_refused_before_memory_is_allocated() {
    for (width, height) in [(60_000u32, 60_000u32), (31_000_000, 1), (1, 31_000_000), (u32::MAX >> 1, u32::MAX >> 1)] {
        let mut file = photograph(ImageFormat::Png);
        let header = [&width.to_be_bytes(), &height.to_be_bytes(), &file[24..29]].concat();
        file.splice(8..33, chunk(b"IHDR", &header));
        let (opened, memory) = open(&file);
        assert!(opened.is_err() && memory < MEMORY, "{width} by {height}: {memory}");
    }
    let mut file = photograph(ImageFormat::Jpeg);
    let frame = file.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    file[frame + 5..frame + 9].fill(0xff);
    let (opened, memory) = open(&file);
    assert!(matches!(opened, Err(ResizeError::TooLarge { width: 65_535, height: 65_535 })) && memory < MEMORY);
}

/// Checks a JPEG with [`CHUNK`] bytes of segments of one kind, before its pixels and after them.
fn jpeg(what: &str, marker: u8, head: &[u8]) {
    let plain = photograph(ImageFormat::Jpeg);
    let data = [head, &vec![0; 65_533 - head.len()][..]].concat();
    let segment = [&[0xff, marker, 0xff, 0xff][..], &data].concat();
    let segments = segment.repeat(CHUNK / segment.len());
    expect_same(&[&plain[..2], &segments, &plain[2..]].concat(), ImageFormat::Jpeg, what);
    let end = plain.len() - 2;
    expect_same(&[&plain[..end], &segments, &plain[end..]].concat(), ImageFormat::Jpeg, what);
}

#[test]
fn a_colour_profile_of_a_jpeg_takes_no_memory() {
    jpeg("APP2", 0xe2, b"ICC_PROFILE\0\x01\xff");
}

#[test]
fn metadata_of_a_jpeg_take_no_memory() {
    jpeg("Exif", 0xe1, b"Exif\0\0MM\0*");
    jpeg("XMP", 0xe1, b"http://ns.adobe.com/xap/1.0/\0");
    jpeg("extended XMP", 0xe1, b"http://ns.adobe.com/xmp/extension/\0");
    jpeg("IPTC", 0xed, b"Photoshop 3.0\0");
    jpeg("Adobe", 0xee, b"Adobe\0\x64\0\0\0\0\x01");
    jpeg("a comment", 0xfe, b"");
}

#[test]
fn images_after_a_jpeg_take_no_memory() {
    let plain = photograph(ImageFormat::Jpeg);
    expect_same(&[&plain[..], &vec![0x55; CHUNK]].concat(), ImageFormat::Jpeg, "after the end");
}

/// A WebP that announces more than it contains, and a GIF, for which the binary has no decoder.
#[test]
fn other_formats_are_refused_and_take_no_memory() {
    let webp = [&b"RIFF\xff\xff\xff\x7fWEBPVP8X\x0a\0\0\0\x3c\0\0\0\xff\xff\xff\xff\xff\xff"[..], &vec![0; CHUNK]];
    for file in [webp.concat(), [&b"GIF89a\xff\xff\xff\xff"[..], &vec![0; CHUNK]].concat()] {
        let (opened, memory) = open(&file);
        assert!(matches!(opened, Err(ResizeError::Unreadable(_))) && memory < MEMORY, "{memory}");
    }
}
