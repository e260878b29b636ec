import { lazy, Suspense } from "react";
import { Outlet, ScrollRestoration, useNavigation } from "react-router";
import { selectErrorScreen } from "../slices/errorScreen";
import { selectPurchasePopup } from "../slices/purchase";
import { selectKeyFailure } from "../slices/startup";
import { Frame } from "./shell/Frame";
import { Guard } from "./shell/Guard";
import { Notices } from "./shell/Notices";
import { Crash, GlobalError, KeyFailure } from "./shell/Trouble";
import { useModal } from "./shell/useModal";
import { useAppSelector } from "./state";
import "./Root.css";

const PurchaseFailed = lazy(() => import("./buy/PurchaseFailed"));
const OpenPopup = lazy(() => import("./shell/OpenPopup"));

/** Covers the page while something is wrong with all of it; else shows it under the navigation rules. */
function Page({ framed }: { readonly framed: boolean }) {
  const keyFailure = useAppSelector(selectKeyFailure);
  const error = useAppSelector(selectErrorScreen);
  const moving = useNavigation().state !== "idle";
  useModal();
  if (keyFailure) return <KeyFailure left={keyFailure.left} />;
  if (error.at === "shown") return <GlobalError error={error} />;
  const content = (
    <Guard>
      <Outlet />
    </Guard>
  );
  return (
    <>
      {moving && <div className="root__moving" aria-hidden="true" />}
      {framed ? <Frame>{content}</Frame> : <main id="main">{content}</main>}
    </>
  );
}

function Layers() {
  const failed = useAppSelector(selectPurchasePopup) !== null;
  const popup = useAppSelector(({ popups }) => popups.open !== null);
  return (
    <>
      {failed && (
        <Suspense>
          <PurchaseFailed />
        </Suspense>
      )}
      {popup && (
        <Suspense>
          <OpenPopup />
        </Suspense>
      )}
      <Notices />
      <ScrollRestoration />
    </>
  );
}

/** The layout of the site: header and footer around each page. */
export function Root() {
  return (
    <>
      <Page framed />
      <Layers />
    </>
  );
}

/** The plain layout, without header and footer: the embedded player, the simulation. */
export function PlainRoot() {
  return (
    <>
      <Page framed={false} />
      <Notices />
    </>
  );
}

export { Crash };
