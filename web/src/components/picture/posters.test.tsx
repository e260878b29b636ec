import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { FLOORS, type Floor, floorOf } from "./floor";
import { type Picture, Poster } from "./Poster";

/** The worker draws the first screen's posters from this file. `npx vitest run -u` on this test regenerates it. */
const FILE = "../../../../worker/touchline/src/site/first/posters.json";
/** Words in a sport's name that select its floor; the first match decides. */
const SPORT_NAMES =
  "basket hockey ringette curling patin soccer lacrosse rugby foot volley tennis badminton wrestl lutte judo gym base soft";

const side = (color: string) => ({ id: 1, name: "", color, crest: "/crest.svg" });
const svgOf = (picture: Picture): string =>
  /<svg.*?<\/svg>/.exec(renderToStaticMarkup(<Poster picture={picture} />))?.[0] ?? "";
const fixture = (floor: Floor) => svgOf({ kind: "fixture", floor, away: side("{{away}}"), home: side("{{home}}") });
const figure = (floor: Floor, text: string) => svgOf({ kind: "figure", floor, figure: text, color: "{{color}}" });

function partsOf(svg: string) {
  const id = /id="([^"]+)"/.exec(svg)?.[1] ?? "";
  const [, turn = "", markings = ""] =
    /rotate\((\S+) [^>]*>(?:<path d="M-?160.*?<\/path>){2}(.*?)<\/g>/.exec(svg) ?? [];
  const text = /<text.*?<\/text>/.exec(svg)?.[0] ?? "";
  const frame = svg
    .replaceAll(id, "{{id}}")
    .replace(`rotate(${turn} `, "rotate({{turn}} ")
    .replace(`${markings}</g>`, "{{markings}}</g>{{text}}")
    .replace(text, "");
  return { frame, turn, markings, text };
}

it("are those that the worker draws on a first screen (FAST-1)", async () => {
  const floors = Object.fromEntries(
    FLOORS.map((floor) => {
      const { turn, markings } = partsOf(fixture(floor));
      return [floor, { turn, markings }];
    }),
  );
  const { frame } = partsOf(fixture("track"));
  for (const floor of FLOORS) {
    expect(partsOf(fixture(floor)).frame, floor).toBe(frame);
    const parts = partsOf(figure(floor, "10"));
    expect(parts.markings, floor).toBe(floors[floor]?.markings);
    expect(parts.frame.replace("{{color}}", "{{away}}").replace("{{color}}", "{{home}}"), floor).toBe(frame);
  }
  const figures = partsOf(figure("track", "10"));
  const posters = {
    frame,
    figureTurn: figures.turn,
    shortFigure: figures.text.replace(">10<", ">{{figure}}<"),
    longFigure: partsOf(figure("track", "100")).text.replace(">100<", ">{{figure}}<"),
    floors,
    names: SPORT_NAMES.split(" ").map((word) => [word, floorOf(`Women’s ${word}s`)]),
  };
  await expect(`${JSON.stringify(posters, null, 2)}\n`).toMatchFileSnapshot(FILE);
});
