// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

const RECORDING = "/watch/25";
const MEDIUM = 253;

/** Opens the form of a clip beside a recording that plays. */
async function openForm(page: Page): Promise<void> {
  await page.goto(RECORDING);
  await page.main.press("Watch");
  await page.plays();
  await page.press("Clip");
}

async function makeClip(page: Page, name: string): Promise<void> {
  await page.fill("Name", name);
  await page.press("Goal");
  await page.press("Create clip");
}

const requests = (page: Page) => page.channel.requests("POST /api/clip").map(({ body }) => body);
const focused = () => document.activeElement;

journey(
  "the first clip waits for a confirmed address: the page says so, the link is sent again, and the clip is made (CLIP-5b)",
  async (page) => {
    await page.signIn({ capabilities: ["watch", "clipping", "no_ads"] });
    await openForm(page);
    await page.sees("Confirm your email first");
    await page.browser.until(() => expect(focused()?.textContent).toBe("Confirm your email first"));
    expect(page.can("Create clip")).toBe(false);
    await page.press("Send confirmation link");
    await page.isAt("/verify-notice");
    await page.main.sees(`We’ve sent a link to ${VERA.email}.`);
    await page.press("Resend link");
    await page.sees(`We’ve resent the link to ${VERA.email}.`);
    await page.openEmail("Confirm your email address");
    await page.press("Confirm email");
    await page.sees("Your email is confirmed.");
    await page.goto("/verify-notice");
    await page.sees("Your email is confirmed");
    await openForm(page);
    await makeClip(page, "First goal");
    await page.sees(/^Your clip is (on its way|ready)$/);
  },
);

journey("a page with an older profile shows the refusal of a clip, with a remedy (CLIP-5)", async (page) => {
  const vera = await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
  await openForm(page);
  vera.email_verified = false;
  await makeClip(page, "Too early");
  await page.main.sees("Please verify your email address first.");
  await page.main.press("Send confirmation link");
  await page.isAt("/verify-notice");
});

journey(
  "a clip ends with its video at the latest, and is a moment of its event (CLIP-1, VAL-3, VAL-6, MEDIA-8, MEDIA-10c, MEDIA-15a, MEDIA-15b, MEDIA-15c)",
  async (page) => {
    const vera = await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
    await openForm(page);
    // Nothing is requested without a name and a tag.
    await page.press("Create clip");
    await page.sees("Please fill in the input field.");
    expect(focused()).toBe(await page.field("Name"));
    await page.fill("Name", "The end");
    await page.press("Create clip");
    await page.sees("Please select tag.");
    await page.press("Goal");
    const end = await page.field("End");
    expect(end.max).toBe("40");
    await page.fill("End", "40");
    expect(requests(page)).toEqual([]);
    await page.press("Create clip");
    await page.sees("Ready within 5 minutes");
    await page.lacks("Create a clip");
    const [clip, ...more] = requests(page);
    expect(more).toEqual([]);
    expect(clip).toMatchObject({ event_id: 25, event_media_id: MEDIUM, name: "The end", tags: ["goal"] });
    expect(clip?.start_time + clip?.duration).toBeCloseTo(40, 3);
    await page.sees("Your clip is ready");
    expect(vera.clips).toHaveLength(1);
    await page.goto("/profile/clips");
    await page.main.within("article").sees("The end");

    // It is a chapter of the recording (MEDIA-10), which opens at the second of its link.
    Object.assign(vera.clips[0] ?? {}, { start_time: 4, duration: 20 });
    await page.goto(`${RECORDING}?t=35`);
    await page.main.press("Watch");
    const video = await page.plays();
    expect(video.currentTime).toBeGreaterThan(34);
    await page.browser.untilDisplayed(() => expect(page.all(".player__chapter")).toHaveLength(1));
    const moments = page.within(".key-moments");
    await moments.press(/The end/);
    await page.browser.until(() => expect(video.currentTime).toBeLessThan(20));
    await page.browser.untilDisplayed(() => expect(moments.all("[aria-current=true]")).toHaveLength(1));

    // A link to its position, and the content below the video.
    await page.press("Share");
    const share = page.within(".share");
    expect((await share.field("Link")).value).toMatch(/\/watch\/25\?t=0:\d\d$/);
    const [moment] = share.all(".share__moment") as HTMLInputElement[];
    expect(moment?.getAttribute("aria-label")).toBe("Start at");
    const [isFrom] = share.all("[type=checkbox]") as HTMLInputElement[];
    isFrom?.click();
    await page.browser.until(() => expect(moment?.disabled).toBe(true));
    expect((await share.field("Link")).value).toMatch(/\/watch\/25$/);
    for (const [size, room] of [
      ["320 × 180", 'width="320" height="180"'],
      ["Fit page width", "width:100%;aspect-ratio:16/9"],
      ["640 × 360", 'width="640" height="360"'],
    ] as const) {
      await share.select("Frame size", size);
      await share.within(".share__code", room).appears();
    }
    await page.sees("Clips from this event");
    expect(page.all(`main a[href^="/watch_library/"], main a[href^="/share/"]`).length).toBeGreaterThan(0);
    await page.sees("Upcoming for these teams");
    await page.sees("More like this");

    // It starts there without another press.
    await page.goto(RECORDING);
    await page.within(".key-moments").press(/The end/);
    expect((await page.plays()).currentTime).toBeGreaterThanOrEqual(4);
  },
);

journey(
  "visitors find a public clip on its game's page, and the operator hides it (CLIP-3, CLIP-7a, CLIP-8, ROUTE-3d, SEARCH-1b, USER-4d, USER-5)",
  async (page) => {
    const vera = await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
    await page.goto("/profile/clips");
    // Without clips yet, the page links to recordings.
    await page.main.press("Recordings");
    await page.isAt("/vod");
    await openForm(page);
    const byLink = await page.field(/^Anyone with the link/);
    expect(byLink.checked).toBe(true);
    await page.choose(/^Public/);
    await makeClip(page, "First goal");
    await page.sees("Your clip is ready");
    const [clip] = vera.clips;
    expect(clip?.visibility).toBe("public");
    await page.goto("/profile");
    await page.main.press("Log out");
    await page.within("header").sees(/^log in$/i);

    await page.goto("/search?q=first");
    await page.within("main section", "First goal").press(/First goal/);
    await page.isAt(/^\/share\/\d+\//);
    await page.goto("/vod_library");
    await page.within("main section", "Games with clips").appears();
    expect(page.within("main section", "Games with clips").all('a[href="/watch/25"]').length).toBeGreaterThan(0);
    await page.goto(RECORDING);
    await page.within("main section", "Clips from this event").press(/First goal/);
    await page.isAt(/^\/share\/\d+\//);
    await page.main.sees("Shared clip");
    await page.main.press("Watch");
    await page.plays();
    expect(page.text()).not.toContain(VERA.first_name);

    if (clip) clip.is_hidden = true;
    await page.goto(RECORDING);
    await page.main.sees("More like this");
    await page.lacks("Clips from this event");
    await page.goto(`/share/${clip?.id}/${clip?.uuid}`);
    await page.sees("We couldn’t find this video.");
    await page.goto("/login");
    await page.fill("Email", VERA.email);
    await page.fill(/^Password/, VERA.password);
    await page.main.press("Log in");
    await page.isAt(/^(?!\/login)/);
    await page.goto("/profile/clips");
    await page.sees("The channel has hidden this clip.");
    expect(page.can("Share clip First goal")).toBe(false);
  },
);

journey("public clips are on the pages of their event, video and other clips, by tag (CLIP-7b)", async (page) => {
  const zoe = page.channel.state.people.add({ ...VERA, first_name: "Zoepersonal", email: "zoe.zq@viewer.example" });
  const clip = (id: number, name: string, tag: string, source: object) => ({
    ...{ id, uuid: `uuid-${id}`, name, tags: [tag], start_time: 4, duration: 8, event_media_id: MEDIUM, version: 2 },
    ...{ status: "ready" as const, visibility: "public" as const, created_at: new Date().toISOString(), ...source },
  });
  zoe.clips.push(
    clip(1, "First goal", "goal", { event_id: 25 }),
    clip(2, "Best save", "save", { event_id: 25 }),
    clip(3, "Top play", "goal", { vod_id: 1, event_media_id: 90001 }),
  );
  await page.goto("/vod_library/1");
  await page.within("main section", "Clips from this video").sees("Top play");
  for (const path of [RECORDING, "/share/1/uuid-1"]) {
    await page.goto(path);
    const others = page.within("main section", path === RECORDING ? "Clips from this event" : "Best save");
    await others.sees("Best save");
    expect(page.text()).not.toContain("Zoepersonal");
  }
  await page.goto(RECORDING);
  const clips = page.within("main section", "Clips from this event");
  await clips.sees("First goal");
  await clips.press(/^Save/);
  await clips.lacks("First goal");
  expect(clips.has("Best save")).toBe(true);
  await page.goto("/vod_library");
  await page.within("main section", "Games with clips").within('a[href="/watch/25"]').appears();
});

for (const isOffered of [true, false])
  journey(
    `a medium that ${isOffered ? "can" : "can't"} be clipped and downloaded has ${isOffered ? "" : "no "}buttons for it (CLIP-4d)`,
    async (page) => {
      await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "download", "no_ads"] });
      const event = page.channel.state.catalogue.events.find(({ id }) => id === 25);
      const medium = event?.media.find(({ id }) => id === MEDIUM);
      Object.assign(medium ?? {}, { is_clippable: isOffered, is_downloadable: isOffered });
      await page.goto(RECORDING);
      await page.main.press("Watch");
      await page.plays();
      expect([page.can("Settings"), page.can("Clip"), page.can("Download")]).toEqual([true, isOffered, isOffered]);
    },
  );
