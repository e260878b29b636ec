import { useDispatch, useSelector } from "react-redux";
import type { RootState } from "../slices";

export const useAppSelector = useSelector.withTypes<RootState>();

export const useAppDispatch = useDispatch;
