import { ContinueWatching } from "./ContinueWatching";
import { Following } from "./Following";
import { MyPasses } from "./MyPasses";
import "./ViewerRails.css";

/** What is the viewer's own, before everything of the channel (HOME-1). */
export default function ViewerRails() {
  return (
    <>
      <ContinueWatching />
      <Following />
      <MyPasses />
    </>
  );
}
