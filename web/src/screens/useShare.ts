import { useCallback } from "react";
import type { Clip } from "../contracts/resources";
import { useTexts } from "../i18n/useTexts";
import { linkTo } from "../navigation";
import { viewerActed } from "../slices/analytics";
import { toastActions } from "../slices/toast";
import { useAppDispatch } from "./state";

/** Shares a page of the site, through the platform's sheet or as a link on the clipboard. */
export function useShare(): (title: string, path: string) => void {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  return useCallback(
    (title, path) => {
      const url = new URL(path, window.location.href).href;
      const share = async () => {
        if (navigator.share) {
          // Closing the sheet is not an error.
          await navigator.share({ title, url }).catch(() => undefined);
          return;
        }
        await navigator.clipboard.writeText(url);
        dispatch(toastActions.wanted({ type: "success", text: t("common.linkCopied") }));
      };
      share().catch(() => dispatch(toastActions.wanted({ type: "info", text: url })));
    },
    [dispatch, t],
  );
}

/** Shares a clip, which analytics record (ANA-15). */
export function useShareClip(): (clip: Clip) => void {
  const share = useShare();
  const dispatch = useAppDispatch();
  return ({ id, name, uuid }) => {
    dispatch(viewerActed({ event: "clip_shared", extras: { clip_id: String(id) } }));
    share(name, linkTo("share", { id, uuid }));
  };
}

/** Copies a text and confirms it; without a clipboard, the notice shows the text. */
export function useCopy(text: () => string, done: string): () => void {
  const dispatch = useAppDispatch();
  return () => {
    const copied = text();
    const notify = (type: "success" | "info", message: string) =>
      dispatch(toastActions.wanted({ type, text: message }));
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(copied))
      .then(
        () => notify("success", done),
        () => notify("info", copied),
      );
  };
}
