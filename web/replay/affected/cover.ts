/** A set to choose from, with the elements that it has. */
export interface Candidate<Element> {
  readonly name: string;
  readonly elements: ReadonlySet<Element>;
  /** Decides between equal sets: the lower, the better. */
  readonly cost: number;
}

export interface Cover<Element> {
  /** In the order of choice, each with the elements that it adds. */
  readonly chosen: readonly { readonly name: string; readonly adds: readonly Element[] }[];
  /** Whether no smaller number of sets has all elements. */
  readonly isMinimal: boolean;
}

/** Limit of the search for a smaller cover, in steps. */
const MAX_STEPS = 200_000;

/** A candidate's position, and its elements as bits. */
interface Option {
  readonly index: number;
  readonly bits: bigint;
}

const isWithin = (one: bigint, other: bigint): boolean => (one & other) === one;

function bitsOf(indices: Iterable<number>): bigint {
  let bits = 0n;
  for (const index of indices) bits |= 1n << BigInt(index);
  return bits;
}

function countOf(bits: bigint): number {
  let count = 0;
  for (const digit of bits.toString(16))
    count += [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4][parseInt(digit, 16)] ?? 0;
  return count;
}

/** Chooses the option with the most new elements, again and again. */
function greedy(options: readonly Option[], all: bigint): Option[] {
  const chosen: Option[] = [];
  for (let open = all; open !== 0n; ) {
    let best: Option | undefined;
    let gain = 0;
    for (const option of options) {
      const count = countOf(option.bits & open);
      if (count > gain) [best, gain] = [option, count];
    }
    if (!best) break;
    chosen.push(best);
    open &= ~best.bits;
  }
  return chosen;
}

/** The fewest options, or the greedy choice where finding them takes too many steps. */
function smallest(
  options: readonly Option[],
  all: bigint,
): { readonly chosen: readonly Option[]; readonly isMinimal: boolean } {
  let best: readonly Option[] = greedy(options, all);
  let steps = 0;
  const holders = new Map<bigint, Option[]>();
  for (let rest = all, bit = 1n; rest !== 0n; rest >>= 1n, bit <<= 1n)
    if (rest & 1n)
      holders.set(
        bit,
        options.filter(({ bits }) => (bits & bit) !== 0n),
      );

  /** Elements that no option has together need an option each. */
  function bound(open: bigint): number {
    let count = 0;
    let rest = open;
    for (const [bit, having] of rarestFirst) {
      if ((rest & bit) === 0n) continue;
      count += 1;
      for (const { bits } of having) rest &= ~bits;
    }
    return count;
  }

  function search(chosen: readonly Option[], open: bigint): void {
    if (open === 0n) {
      if (chosen.length < best.length) best = chosen;
      return;
    }
    steps += 1;
    if (steps > MAX_STEPS || chosen.length + bound(open) >= best.length) return;
    const [, having = []] = rarestFirst.find(([bit]) => (open & bit) !== 0n) ?? [];
    for (const option of having) search([...chosen, option], open & ~option.bits);
  }

  const rarestFirst = [...holders].sort(([, one], [, other]) => one.length - other.length);
  search([], all);
  return { chosen: best, isMinimal: steps <= MAX_STEPS };
}

/** Leaves out the elements that come with another one, and the options that another one replaces, until none is left. */
function reduced(candidates: readonly (readonly number[])[], count: number): { options: Option[]; all: bigint } {
  let options = candidates.map((elements, index) => ({ index, bits: bitsOf(elements) }));
  let all = (1n << BigInt(count)) - 1n;
  for (;;) {
    const [before, beforeAll] = [options.length, all];
    const larger = options.toSorted((one, other) => countOf(other.bits & all) - countOf(one.bits & all));
    options = [];
    for (const option of larger)
      if ((option.bits & all) !== 0n && !options.some(({ bits }) => isWithin(option.bits & all, bits)))
        options.push(option);
    const havers: bigint[] = [];
    for (let element = 0; element < count; element++) {
      const bit = 1n << BigInt(element);
      if ((all & bit) === 0n) continue;
      havers[element] = bitsOf(options.flatMap(({ bits }, index) => ((bits & bit) === 0n ? [] : [index])));
    }
    for (const [element, having] of havers.entries()) {
      if (having === undefined) continue;
      const implies = havers.some(
        (other, index) =>
          other !== undefined && index !== element && isWithin(other, having) && (other !== having || index < element),
      );
      if (!implies) continue;
      all &= ~(1n << BigInt(element));
      delete havers[element];
    }
    if (options.length === before && all === beforeAll) return { options, all };
  }
}

/** The fewest candidates that together have every element that any candidate has. */
export function coverOf<Element>(candidates: readonly Candidate<Element>[]): Cover<Element> {
  const cheapest = candidates.toSorted((one, other) => one.cost - other.cost);
  // Elements of the same candidates are one.
  const holders = new Map<Element, number[]>();
  for (const [index, { elements }] of cheapest.entries())
    for (const element of elements) {
      const having = holders.get(element);
      if (having) having.push(index);
      else holders.set(element, [index]);
    }
  const groups = [...new Map([...holders.values()].map((having) => [having.join(), having])).values()];
  const elementsOf: number[][] = cheapest.map(() => []);
  for (const [group, having] of groups.entries()) for (const index of having) elementsOf[index]?.push(group);
  const { options, all } = reduced(elementsOf, groups.length);
  const { chosen, isMinimal } = smallest(options, all);
  return { chosen: inOrder(chosen.map(({ index }) => cheapest[index] as Candidate<Element>)), isMinimal };
}

/** Candidates in the order of the elements that each adds. */
function inOrder<Element>(candidates: readonly Candidate<Element>[]): Cover<Element>["chosen"] {
  const remaining = new Set(candidates);
  const covered = new Set<Element>();
  const result: { name: string; adds: Element[] }[] = [];
  while (remaining.size > 0) {
    const next = [...remaining]
      .map((candidate) => ({ candidate, adds: [...candidate.elements].filter((element) => !covered.has(element)) }))
      .reduce((best, one) => (one.adds.length > best.adds.length ? one : best));
    remaining.delete(next.candidate);
    for (const element of next.adds) covered.add(element);
    result.push({ name: next.candidate.name, adds: next.adds });
  }
  return result;
}
