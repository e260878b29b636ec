import { describe, expect, it } from "vitest";
import { upcastCarried } from "../src/eventlog/upcasters";
import { type History, versionOf } from "../src/eventlog/versions";
import { program } from "../src/sagas/program";
import frozenShapes from "./frozen/shapes.json" with { type: "json" };
import { broken, type Frozen, type FrozenShapes, recordedPayloads, shapeOf } from "./testing/shapes";

const frozen: FrozenShapes = frozenShapes;
const today = new Map([...(await recordedPayloads())].map(([type, payloads]) => [type, shapeOf(payloads)]));

/**
 * The faults of a type: its newest frozen version differs from the recorded one, or an older one doesn't convert to it.
 */
function faults(history: History, type: string, versions: readonly Frozen[]): string[] {
  const now = today.get(type);
  if (!now) return [];
  const present = versionOf(history, type);
  const newest = versions[present - 1];
  if (!newest) return [`version ${present} was never frozen: npm run freeze`];
  return [
    ...broken(newest.fields, now).map((what) => `${what}: its version ${present} was frozen with other fields`),
    ...versions.flatMap(({ sample }, index) => {
      const risen = upcastCarried(history, { type, type_version: index + 1, payload: sample });
      return broken(shapeOf([risen.payload]), now)
        .filter((what) => !what.endsWith("is missing") && !what.endsWith("is optional"))
        .map((what) => `${what} in a payload of version ${index + 1}`);
    }),
  ];
}

describe("the shapes of recorded data", () => {
  it("are all frozen: run npm run freeze for a new action or answer", () => {
    expect([...today.keys()].filter((type) => !frozen[type])).toEqual([]);
    expect(today.size).toBeGreaterThan(120);
  });

  it.each(Object.entries(frozen))("of %s match this build's from each version on", (type, versions) => {
    expect(faults(program, type, versions)).toEqual([]);
  });

  it("are compared: a renamed field needs a step, and a step must produce the current shape", () => {
    const type = "purchase/accepted";
    const now = frozen[type]?.at(-1);
    if (!now) throw new Error("it has no frozen version");
    const { order_id, ...rest } = now.sample as { order_id: number };
    const older = { fields: shapeOf([{ ...rest, order: order_id }]), sample: { ...rest, order: order_id } };
    expect(faults({}, type, [older])).toEqual([
      expect.stringContaining("order is missing: its version 1 was frozen"),
      expect.stringContaining("order_id is new: its version 1 was frozen"),
      expect.stringContaining("order_id is new in a payload of version 1"),
    ]);
    const renamed = ({ order, ...same }: { order: number }) => ({ ...same, order_id: order });
    expect(faults({ upcasters: { [type]: [renamed as never] } }, type, [older, now])).toEqual([]);
    const asText = ({ order, ...same }: { order: number }) => ({ ...same, order_id: String(order) });
    expect(faults({ upcasters: { [type]: [asText as never] } }, type, [older, now])).toEqual([
      "order_id was string and is number in a payload of version 1",
    ]);
    expect(faults({ upcasters: { [type]: [renamed as never] } }, type, [older])).toEqual([
      "version 2 was never frozen: npm run freeze",
    ]);
  });
});
