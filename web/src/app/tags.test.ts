// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { openTagManager, tag } from "./tags";

const page = window as Window & { dataLayer?: object[] };

beforeEach(() => {
  delete page.dataLayer;
  document.head.replaceChildren();
});

it("adds entries to the list that the tag manager listens to", () => {
  tag({ event: "page_view" });
  const list = page.dataLayer;
  tag({ event: "page_view", page_path: "/vod" });
  expect(page.dataLayer).toBe(list);
  expect(list).toEqual([{ event: "page_view" }, { event: "page_view", page_path: "/vod" }]);
});

it("clears what an earlier sale left before it tells of another", () => {
  tag({ event: "purchase", ecommerce: { value: 1 } });
  expect(page.dataLayer).toEqual([{ ecommerce: null }, { event: "purchase", ecommerce: { value: 1 } }]);
});

it("loads a container after the entry that it starts from, and takes its id for no more than an id", () => {
  openTagManager("GTM-A&x=1");
  expect(page.dataLayer).toEqual([{ "gtm.start": expect.any(Number), event: "gtm.js" }]);
  const scripts = [...document.scripts].map(({ src, async }) => ({ src, async }));
  expect(scripts).toEqual([{ src: "https://www.googletagmanager.com/gtm.js?id=GTM-A%26x%3D1", async: true }]);
});
