import { Suspense, useDeferredValue } from "react";
import { useSearchParams } from "react-router";
import { Loader } from "../../components/shell/Loader";
import { withTexts } from "../../i18n/locale";
import { useTexts } from "../../i18n/useTexts";
import { selectLoggedIn } from "../../slices/auth";
import { selectLoaderVisible } from "../../slices/loader";
import { part } from "../lazyWithRetry";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { Featured } from "./Featured";
import { HomeRails } from "./HomeRails";
import { Schools } from "./Schools";
import "./Home.css";

const ViewerRails = part(() => withTexts(import("./ViewerRails")));
const Narrowed = part(async () => ({ default: (await withTexts(import("./Narrowed"))).Component }));

/** Query keys that filter the home page by school, team, sport or division (NAV). */
const NARROWING = ["group", "school", "participant", "team", "division", "sport"];

/** The home page: slides, personal rails, then live, upcoming and past events, and schools. */
export function Home() {
  const { t } = useTexts();
  const [params] = useSearchParams();
  // Rendering is deferred in chunks, so that input is handled in between.
  const loading = useDeferredValue(useAppSelector(selectLoaderVisible));
  if (loading) return <Loader />;
  if (NARROWING.some((key) => params.get(key))) {
    return (
      <Suspense fallback={<Loader label={t("common.loading")} />}>
        <Narrowed key={`${params}`} params={params} />
      </Suspense>
    );
  }
  return <Whole />;
}

function Whole() {
  const loggedIn = useAppSelector(selectLoggedIn);
  useDocumentTitle(null);
  return (
    <>
      <Featured />
      <div className="wrap">
        {/* Personal rails come first, with their space reserved so that nothing shifts. */}
        <Suspense fallback={<div className="home__own-first" />}>
          {loggedIn && <ViewerRails />}
          <div className="home__rails">
            <HomeRails />
            <Schools />
          </div>
        </Suspense>
      </div>
    </>
  );
}
