import { useEffect, useState } from "react";

/** Whether scripts can set a video's volume: on an iPhone only its buttons do (MEDIA-16). */
export function useVolumeControl(): boolean {
  const [works, setWorks] = useState(true);
  useEffect(() => {
    const video = document.createElement("video");
    video.volume = 0.5;
    // Since iOS 15 a change is only undone after the current task.
    const timer = setTimeout(() => setWorks(video.volume === 0.5));
    return () => clearTimeout(timer);
  }, []);
  return works;
}
