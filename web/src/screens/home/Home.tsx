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

/** Keys that narrow the home page to a school, a team, a sport of the menu or a division of one (NAV). */
const NARROWING = ["group", "school", "participant", "team", "division", "sport"];

/** The home page: slides, what is the viewer's own, then what is live, what comes, what can be watched again, and the schools. */
export function Home() {
  const { t } = useTexts();
  const [params] = useSearchParams();
  // What follows the loader is much, and is made in short goes: a viewer is heard between them.
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
        {/* The viewer's own part comes first: what follows would jump if it stood there before. */}
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
