import type { ReactNode } from "react";
import { Empty } from "../components/basic/Empty";
import { useDocumentTitle } from "./shell/useDocumentTitle";

/** A page, with its title, for an address whose content doesn't exist; `children` lead on. */
export function Missing({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useDocumentTitle(title);
  return (
    <div className="section">
      <Empty title={title}>{children}</Empty>
    </div>
  );
}
