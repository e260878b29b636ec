import { useEffect } from "react";
import { isolated } from "../../lib/isolated";
import { selectSettings } from "../../slices/catalogue";
import { useAppSelector } from "../state";

/** Sets the document's title: "Schedule · Northfield Sports Network". */
export function useDocumentTitle(title: string | null): void {
  const channel = useAppSelector(selectSettings)?.name ?? "";
  useEffect(() => {
    const fullTitle = [title ?? "", channel].filter(Boolean).map(isolated).join(" · ");
    if (fullTitle !== "") document.title = fullTitle;
  }, [title, channel]);
}
