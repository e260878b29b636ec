import { useDispatch, useSelector } from "react-redux";
import type { RootState } from "../slices";

/** The state, as selectors know it. */
export const useAppSelector = useSelector.withTypes<RootState>();

/** Tells the store what the viewer did. */
export const useAppDispatch = useDispatch;
