import { Navigate, useLocation } from "react-router";
import { linkTo } from "../navigation";
import { selectLoaderVisible } from "../slices/loader";
import { selectAuthBusy } from "../slices/login";
import { Undecided } from "./shell/Undecided";
import { useAppSelector } from "./state";

/** Redirects a visitor to the login, and from there back to this page. */
export function LoginFirst() {
  const { pathname, search } = useLocation();
  // The viewer is unknown until start-up is done.
  const undecided = useAppSelector((state) => selectLoaderVisible(state) || selectAuthBusy(state));
  if (undecided) return <Undecided />;
  return <Navigate to={linkTo("login")} replace state={{ from: pathname + search }} />;
}
