import type { Picture, Side } from "../picture/Poster";
import type { Title } from "./FixtureName";

/** What a viewer may do with an event; the words of its one button follow from it. */
export type Offer =
  | { readonly kind: "watch" }
  | { readonly kind: "login"; readonly price: string | null }
  | { readonly kind: "register" }
  /** `price` is null where the event is not sold singly: packages open it. */
  | { readonly kind: "buy"; readonly price: string | null }
  /** Has access by a pass, a subscription or a purchase. */
  | { readonly kind: "owned" }
  | { readonly kind: "free" }
  | { readonly kind: "blocked" }
  | { readonly kind: "offline" };

/** An event as cards, rows and panels show it: words are ready, times are Unix milliseconds. */
export interface EventView {
  readonly id: number;
  /** Its page. */
  readonly to: string;
  readonly title: Title;
  /** "Women’s basketball" */
  readonly kind: string;
  /** "Northfield MN"; empty when unknown. */
  readonly place: string;
  readonly venue: string;
  readonly status: "live" | "upcoming" | "finished";
  readonly startsAt: number;
  readonly picture: Picture;
  readonly sides: readonly Side[];
  readonly offer: Offer;
  /** How it stands, or ended; `hidden` from a viewer who does not want to know. Absent: nobody says. */
  readonly score?: {
    readonly away: number;
    readonly home: number;
    readonly period: string;
    readonly hidden: boolean;
  };
  /** Length of the recording in seconds. */
  readonly duration: number | null;
  /** Share watched, 0 to 1. */
  readonly watched: number;
}
