import { ContinueWatching } from "./ContinueWatching";
import { Following } from "./Following";
import { MyPasses } from "./MyPasses";
import "./ViewerRails.css";

/** The viewer's own rails, above the channel's (HOME-1). */
export default function ViewerRails() {
  return (
    <>
      <ContinueWatching />
      <Following />
      <MyPasses />
    </>
  );
}
