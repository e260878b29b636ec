import type { ReactNode } from "react";
import { Empty } from "../components/basic/Empty";
import { useDocumentTitle } from "./shell/useDocumentTitle";

/** Says that what the address names is not there, in the page and in its title; `children` lead on. */
export function Missing({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useDocumentTitle(title);
  return (
    <div className="section">
      <Empty title={title}>{children}</Empty>
    </div>
  );
}
