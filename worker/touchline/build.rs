//! The site and the demo channels are embedded: a file that comes or goes there makes the binary anew.

fn main() {
    for folder in ["../../web/dist", "../../fixtures/channels"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
