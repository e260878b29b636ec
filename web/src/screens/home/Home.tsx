import { Suspense } from "react";
import { useSearchParams } from "react-router";
import { Loader } from "../../components/shell/Loader";
import { withTexts } from "../../i18n/locale";
import { useTexts } from "../../i18n/useTexts";
import { selectLoggedIn } from "../../slices/auth";
import { selectLoaderShown } from "../../slices/loader";
import { part } from "../lazyWithRetry";
import { useAppSelector } from "../state";
import { Featured } from "./Featured";
import { HomeRails } from "./HomeRails";
import type { Narrowing } from "./Narrowed";
import { Schools } from "./Schools";
import "./Home.css";

const ViewerRails = part(() => withTexts(import("./ViewerRails")));
const Narrowed = part(async () => ({ default: (await import("./Narrowed")).Narrowed }));

/** What the address narrows the home page to: a school, a team or a sport of the menu (NAV). */
function narrowingOf(params: URLSearchParams): Narrowing | null {
  const group = params.get("group") ?? params.get("school");
  if (group) return { kind: "group", value: group };
  const participant = params.get("participant") ?? params.get("team");
  if (participant) return { kind: "participant", value: participant };
  const sport = params.get("sport");
  return sport ? { kind: "sport", value: sport } : null;
}

/** The home page: slides, what is the viewer's own, then what is live, what comes, what can be watched again, and the schools. */
export function Home() {
  const { t } = useTexts();
  const [params] = useSearchParams();
  const loading = useAppSelector(selectLoaderShown);
  const loggedIn = useAppSelector(selectLoggedIn);
  const narrowing = narrowingOf(params);
  if (loading) return <Loader />;
  if (narrowing) {
    return (
      <Suspense fallback={<Loader label={t("common.loading")} />}>
        <Narrowed key={`${narrowing.kind}/${narrowing.value}`} narrowing={narrowing} />
      </Suspense>
    );
  }
  return (
    <>
      <Featured />
      <div className="wrap">
        {/* The viewer's own part comes first: what follows would jump if it stood there before. */}
        <Suspense fallback={<div className="home__own-first" />}>
          {loggedIn && <ViewerRails />}
          <HomeRails />
          <Schools />
        </Suspense>
      </div>
    </>
  );
}
