// @vitest-environment jsdom
import { render } from "@testing-library/react";
import type { ComponentProps } from "react";
import { expect, it, vi } from "vitest";
import type VideoPlayer from "../player/VideoPlayer";
import ProtectedVideo from "./ProtectedVideo";

type Props = ComponentProps<typeof VideoPlayer>;
const players = vi.hoisted(() => [] as unknown[]);
vi.mock("../player/VideoPlayer", () => ({ default: (props: unknown) => void players.push(props) }));
vi.mock("./usePlayerPreferences", () => ({ usePlayerPreferences: () => ({}) }));

it("reads an event again instead of renewing its public address (MEDIA-6)", async () => {
  const onRefused = vi.fn();
  render(<ProtectedVideo url="/media/1" wanted={{ kind: "event", id: 1, media_id: 2 }} onRefused={onRefused} />);
  const { renew } = players.at(-1) as Props;
  expect(onRefused).not.toHaveBeenCalled();
  expect(await renew?.()).toEqual({ url: "/media/1", expires: null });
  expect(onRefused).toHaveBeenCalledOnce();
});
