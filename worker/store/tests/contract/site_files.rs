use touchline_store::SiteFile;

use crate::{AT, Backend};

pub(crate) async fn files_of_a_build_are_stored_once_and_deleted_after_it_was_last_served(backend: impl Backend) {
    let store = backend.store();
    let paths = ["assets/a-0000001.js".to_owned(), "assets/b-0000002.css".to_owned()];
    assert_eq!(store.touch_site_files(&paths, AT).await.unwrap(), paths);
    let files = [("Zmlyc3Q=", true), ("c2Vjb25k", false)];
    let files: Vec<_> = std::iter::zip(&paths, files)
        .map(|(path, (body, is_brotli))| SiteFile { path: path.clone(), body: body.to_owned(), is_brotli })
        .collect();
    store.store_site_files(&files, AT).await.unwrap();
    // Two workers of one build start at once.
    store.store_site_files(&files, AT).await.unwrap();
    assert_eq!(store.site_file(&paths[0]).await.unwrap().as_ref(), Some(&files[0]));
    assert_eq!(store.site_file("assets/c-0000003.js").await.unwrap(), None);

    assert!(store.touch_site_files(&paths[..1], AT + 10).await.unwrap().is_empty());
    assert_eq!(store.delete_site_files(AT + 1).await.unwrap(), 1);
    assert_eq!(store.site_file(&paths[1]).await.unwrap(), None);
    assert_eq!(store.site_file(&paths[0]).await.unwrap().as_ref(), Some(&files[0]));
}
