import { copiedChannels } from "../support/channels";
import { expect, test, untilServed } from "../support/journey";

const channels = copiedChannels();
const pages = channels.read<{ id: number }[]>("pages.json");
channels.write("pages.json", [
  ...pages,
  { id: 901, url: "/équipe/à-propos", alt_name: "equipe", name: "À propos de l’équipe", content: "Douze joueuses." },
  {
    id: 902,
    url: "/caf%C3%A9",
    alt_name: "cafe",
    name: "Le café",
    content: "Ouvert dès midi. [Chez les Laurentides](/schedule?channel=laurentides&date=2026-01-01)",
  },
]);
const menu = channels.read<{ header: object[] }>("menu.json");
channels.write("menu.json", {
  ...menu,
  header: [...menu.header, { name: "Sister site", url: "/faq?channel=laurentides" }],
});

channels.write("storage/settings/player.json", { start_level: 0 });

test.use({ flags: ["--channels", channels.path] });
test.afterAll(() => channels.remove());

test("a content page opens at an address with accents, its link to another channel opens that site, and colours and initial quality are the channel's (ROUTE-10, NAV-8c, SET-1b, SET-1c, SET-2)", async ({
  page,
  worker,
}) => {
  for (const [path, text] of [
    ["/équipe/à-propos", "Douze joueuses."],
    ["/%C3%A9quipe/%C3%A0-propos/", "Douze joueuses."],
    ["/café", "Ouvert dès midi."],
  ] as const) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
    await expect(page.getByText(text), path).toBeVisible();
  }
  // The service worker answers this site's addresses, but not this one.
  await untilServed(page);
  await page.getByRole("link", { name: "Chez les Laurentides" }).click();
  const { port } = new URL(worker.origin);
  await expect(page).toHaveURL(`http://laurentides.localhost:${port}/schedule?channel=laurentides&date=2026-01-01`);
  await expect(page.getByRole("heading", { level: 1, name: "Calendrier" })).toBeVisible();
  // A menu entry does the same.
  await page.goto("/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Sister site" }).click();
  await expect(page).toHaveURL(`http://laurentides.localhost:${port}/faq?channel=laurentides`);
  // An unknown channel name has no effect.
  await page.goto("/café?channel=nobody");
  await expect(page.getByText("Ouvert dès midi.")).toBeVisible();

  // Northfield's #070e1a at a fifth of its opacity.
  const shades = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    const shade = (name: string) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    return ["footer-background-20", "body-background-70", "body-text-color-95", "header-text-color-50"].map(shade);
  });
  expect(shades.map((color) => Number(/[/,] ?([\d.]+)\)$/.exec(color)?.[1]).toFixed(2))).toEqual([
    "0.20",
    "0.70",
    "0.95",
    "0.50",
  ]);

  const first = page.waitForRequest(/\/v\d\/[^/]*seg_/);
  await page.goto("/vod_library/1");
  await page.getByRole("main").getByRole("button", { name: "Watch" }).click();
  expect((await first).url()).toMatch(/\/v1\//);
});
