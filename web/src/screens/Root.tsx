import { Suspense, useEffect, useSyncExternalStore } from "react";
import { Outlet, useLocation } from "react-router";
import { Loader } from "../components/shell/Loader";
import { withTexts } from "../i18n/locale";
import { selectErrorScreen } from "../slices/errorScreen";
import { selectPaymentPopup } from "../slices/payment";
import { selectKeyFailure } from "../slices/startup";
import { pageAppeared, part, useMoving } from "./lazyWithRetry";
import { Boundary } from "./shell/Boundary";
import { Crash, GlobalError, KeyFailure } from "./shell/ErrorOverlay";
import { Frame } from "./shell/Frame";
import { Guard } from "./shell/Guard";
import { Notices } from "./shell/Notices";
import { useModal } from "./shell/useModal";
import { useScrollPosition } from "./shell/useScrollPosition";
import { useAppSelector } from "./state";
import { useAccount } from "./useAccount";
import "./Root.css";

const BankQuestion = part(() => withTexts(import("./buy/BankQuestion")));
const PurchaseFailed = part(() => withTexts(import("./buy/PurchaseFailed")));
const OpenPopup = part(() => import("./shell/OpenPopup"));

/** Renders the page under the navigation rules, or a whole-page error instead. */
function Page({ framed }: { readonly framed: boolean }) {
  const keyFailure = useAppSelector(selectKeyFailure);
  const error = useAppSelector(selectErrorScreen);
  const moving = useMoving();
  const { key } = useLocation();
  useModal();
  useEffect(pageAppeared, [key]);
  if (keyFailure) return <KeyFailure left={keyFailure.left} />;
  if (error.at === "shown") return <GlobalError error={error} />;
  const content = (
    <Boundary location={key}>
      <Suspense fallback={<Loader />}>
        <Guard>
          <Outlet />
        </Guard>
      </Suspense>
    </Boundary>
  );
  return (
    <>
      {moving && <div className="root__moving" aria-hidden="true" />}
      {framed ? <Frame>{content}</Frame> : <main id="main">{content}</main>}
    </>
  );
}

function Layers() {
  useScrollPosition();
  const { key } = useLocation();
  const { subscribe, question } = useAccount();
  const hasQuestion = useSyncExternalStore(subscribe, question) !== null;
  const failed = useAppSelector(selectPaymentPopup) !== null;
  const popup = useAppSelector(({ popups }) => popups.open !== null);
  return (
    <>
      <Boundary location={key} quiet>
        <Suspense>
          {hasQuestion && <BankQuestion />}
          {failed && <PurchaseFailed />}
          {popup && <OpenPopup />}
        </Suspense>
      </Boundary>
      <Notices />
    </>
  );
}

/** The site's layout: header and footer around each page. */
export function Root() {
  return (
    <>
      <Page framed />
      <Layers />
    </>
  );
}

/** The plain layout without header and footer: the embedded player and the simulation. */
export function PlainRoot() {
  return (
    <>
      <Page framed={false} />
      <Notices />
    </>
  );
}

export { Crash };
