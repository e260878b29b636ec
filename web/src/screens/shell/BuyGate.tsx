import type { ReactNode } from "react";
import { useSearchParams } from "react-router";
import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { selectEvent } from "../../slices/events";
import { selectGeoBlocked } from "../../slices/user";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

interface BuyGateProps {
  /** The buy page. */
  readonly children: ReactNode;
  /** The link to the login. */
  readonly login: ReactNode;
}

/** For a visitor at a buy address: no login is requested for content that is blocked in their region (GEO-1). */
export function BuyGate({ children, login }: BuyGateProps) {
  const { t } = useTexts();
  const [params] = useSearchParams();
  const id = Number(params.get("event_id"));
  const isEvent = Number.isSafeInteger(id) && id > 0;
  const { at, missing } = useRead(isEvent ? { method: "api.getEvent", args: { id } } : null);
  const event = useAppSelector(selectEvent(isEvent ? id : 0));
  const isClosed = useAppSelector(selectGeoBlocked) || event?.is_geo_blocked === true;
  if (isClosed) return children;
  const isReading = isEvent && at !== "loaded" && at !== "failed" && !missing;
  return isReading ? <Loader label={t("common.loading")} /> : login;
}
