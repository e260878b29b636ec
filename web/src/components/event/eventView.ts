import type { Picture, Side } from "../picture/Poster";
import type { Title } from "./FixtureName";

/** The viewer's access to an event, which determines its button. */
export type Offer =
  | { readonly kind: "watch" }
  | { readonly kind: "login"; readonly price: string | null }
  | { readonly kind: "register" }
  /** `price` is null if the event is sold only in packages. */
  | { readonly kind: "buy"; readonly price: string | null }
  /** Access by a pass, a subscription or a purchase. */
  | { readonly kind: "owned" }
  | { readonly kind: "free" }
  | { readonly kind: "blocked" }
  | { readonly kind: "offline" };

/** An event for cards, rows and panels: texts are formatted, times are Unix milliseconds. */
export interface EventView {
  readonly id: number;
  readonly to: string;
  readonly title: Title;
  /** "Women’s basketball" */
  readonly kind: string;
  /** "Northfield MN"; empty when unknown. */
  readonly location: string;
  readonly venue: string;
  readonly status: "live" | "upcoming" | "finished";
  readonly startsAt: number;
  readonly endsAt: number;
  /** Its UID in calendars, as in the calendar of its team. */
  readonly calendarId: string;
  readonly picture: Picture;
  readonly sides: readonly Side[];
  readonly offer: Offer;
  /** The current or final score; `hidden` for a viewer who hides scores, absent if unknown. */
  readonly score?: {
    readonly away: number;
    readonly home: number;
    readonly period: string;
    readonly hidden: boolean;
  };
  /** Length of the recording in seconds. */
  readonly duration: number | null;
  /** Watched share, 0 to 1. */
  readonly watched: number;
}
