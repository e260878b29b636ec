import { Navigate, useLocation } from "react-router";
import { linkTo } from "../navigation";
import { selectLoaderVisible } from "../slices/loader";
import { selectAuthBusy } from "../slices/login";
import { Undecided } from "./shell/Undecided";
import { useAppSelector } from "./state";

/** Leads a visitor to the login, and from there back to this page. */
export function LoginFirst() {
  const { pathname, search } = useLocation();
  // Before start-up is done nobody knows who the viewer is.
  const undecided = useAppSelector((state) => selectLoaderVisible(state) || selectAuthBusy(state));
  if (undecided) return <Undecided />;
  return <Navigate to={linkTo("login")} replace state={{ from: pathname + search }} />;
}
