import { type PathChange, pathChanges } from "../../src/eventlog/pathChanges";
import { generalName, type Item } from "./items";
import type { Moment, OpenScreen, PlainAction, Screens } from "./openScreens";

/** An element that can be pressed, by its role and text key among those of a screen: nothing private names it. */
interface Target {
  readonly name: string;
  /** Its number among the elements of this name, from 0. */
  readonly nth: number;
}

/** Presses of two builds' screens. */
export interface PressComparison {
  /**
   * The differences between what a press does in the two builds. The press is the one that dispatches an action of a
   * type in the build that recorded it; undefined if there is none, or none without typed text or an opened menu.
   */
  compare(type: string, screen: string, moments: readonly [was: Moment, is: Moment]): Promise<PathChange[] | undefined>;
}

const ROLES: readonly string[] = ["button", "switch", "tab", "checkbox", "radio", "menuitem", "menuitemradio"];
/** Maximum number of elements that are pressed in search of one action. */
const MAX_TRIED = 80;

function targetsOf(items: readonly Item[]): (Target & { readonly element: Element })[] {
  const counts = new Map<string, number>();
  return items.flatMap((item) => {
    const { role, state, element } = item;
    if (!element || !ROLES.includes(role)) return [];
    const name = generalName(item);
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    return state.includes("disabled") ? [] : [{ name, nth, element }];
  });
}

const isOf = (type: string) => (action: PlainAction) => action.type === type;

/** The actions of a press; undefined if the screen has no such element. */
const pressed = (
  screens: Screens,
  moment: Moment,
  { name, nth }: Target,
): Promise<readonly PlainAction[] | undefined> =>
  screens.open(moment, async (screen) => {
    const target = targetsOf(screen.items()).find((one) => one.name === name && one.nth === nth);
    return target && screen.press(target.element);
  });

const textOf = (screen: OpenScreen): string =>
  JSON.stringify(screen.items().map(({ role, label, state }) => [role, label, state]));

/** Presses one element after the other until one dispatches an action of a type. */
async function search(screens: Screens, moment: Moment, type: string): Promise<Target | undefined> {
  let tried = 0;
  const attempt = async (screen: OpenScreen): Promise<Target | "again" | undefined> => {
    if (screen.ownActions.some(isOf(type))) return undefined;
    const before = textOf(screen);
    for (const { name, nth, element } of targetsOf(screen.items()).slice(tried, MAX_TRIED)) {
      tried += 1;
      const actions = await screen.press(element);
      if (actions.some(isOf(type))) return { name, nth };
      // A press that changed something changes what the next one does.
      if (actions.length > 0 || (screen.hasChanged() && textOf(screen) !== before)) return "again";
    }
    return undefined;
  };
  for (;;) {
    const found = await screens.open(moment, attempt);
    if (found !== "again") return found;
  }
}

/** Compares the presses of two builds; finds each element once for each screen and action. */
export function createPressComparison(was: Screens, is: Screens): PressComparison {
  const targetsOfAction = new Map<string, Target[]>();
  const missed = new Set<string>();

  async function find(
    type: string,
    screen: string,
    moment: Moment,
  ): Promise<readonly [Target, PlainAction] | undefined> {
    const key = `${type} ${screen}`;
    const targets = targetsOfAction.get(key) ?? [];
    for (const target of targets) {
      const action = (await pressed(was, moment, target))?.find(isOf(type));
      if (action) return [target, action];
    }
    // A search presses every element of a screen: there is one for each screen and action.
    if (missed.has(key)) return undefined;
    const target = await search(was, moment, type);
    const action = target && (await pressed(was, moment, target))?.find(isOf(type));
    if (!target || !action) {
      missed.add(key);
      return undefined;
    }
    targetsOfAction.set(key, [...targets, target]);
    return [target, action];
  }

  return {
    async compare(type, screen, moments) {
      const found = await find(type, screen, moments[0]);
      if (!found) return undefined;
      const [target, action] = found;
      const actions = await pressed(is, moments[1], target);
      const path = `press of ${target.name}`;
      const today = actions?.find(isOf(type));
      if (!today) return [{ path, was: type, ...(actions?.[0] ? { is: actions[0].type } : {}) }];
      // An action may have new fields.
      return pathChanges(action.payload, today.payload)
        .filter((change) => "was" in change)
        .map((change) => ({ ...change, path: `${path}, ${type} ${change.path}` }));
    },
  };
}
