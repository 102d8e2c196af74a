/**
 * How the cost of some work grows with its input, as a ratio of CPU in this process: the least of several runs of one
 * size and of four times that size, in turns. A busy machine makes both longer, and only the least of each counts.
 */

export type Work = () => unknown;

export interface Growing {
  readonly what: string;
  /** What the smaller of the two inputs has. */
  readonly size: number;
  /** `null`: the service refuses what the operator wrote, so no record meets it. */
  make(size: number): Work | null;
  /** Four times the input may cost so much; `LINEAR_MAX` unless given. */
  readonly ratioMax?: number;
}

export interface Growth {
  readonly what: string;
  readonly size: number;
  /** `null`: refused. Infinite: the cost exploded on the way to the size. */
  readonly ratio: number | null;
  readonly isKept: boolean;
}

/** Four to five when the machine is quiet; its caches and collections add to the larger one. The square is 16. */
export const LINEAR_MAX = 7;
/** For work that is done once, however large its input: a page that is served. */
export const CONSTANT_MAX = 2;

/** Less is lost in the noise of a collection. */
const CPU_MS_MIN = 5;
const ROUNDS = { min: 5, max: 20 };

export async function measureGrowth({ what, size, make, ratioMax = LINEAR_MAX }: Growing): Promise<Growth> {
  const [one, four] = [make(size), make(4 * size)];
  if (one === null || four === null) return { what, size, ratio: null, isKept: true };
  const explodes = ratioMax === LINEAR_MAX && (await hasExploded({ make, size }));
  const ratio = explodes ? Number.POSITIVE_INFINITY : await compare(one, four, ratioMax);
  return { what, size, ratio, isKept: ratio <= ratioMax };
}

/**
 * Goes up to the size in small steps. What doubles with each letter or level would not come back from it: it is seen as
 * soon as such a step costs five times as much.
 */
async function hasExploded({ make, size }: Pick<Growing, "make" | "size">): Promise<boolean> {
  let before = Number.POSITIVE_INFINITY;
  for (let now = Math.min(4, size); now < 4 * size; now = Math.ceil(1.15 * now)) {
    const work = make(now);
    if (work === null) return false;
    const allowedMs = 5 * before + 20;
    let costMs = await cpuMs(work, 1);
    if (costMs > allowedMs) costMs = Math.min(costMs, await cpuMs(work, 1));
    if (costMs > allowedMs) return true;
    before = costMs;
  }
  return false;
}

async function compare(one: Work, four: Work, ratioMax: number): Promise<number> {
  const times = await chooseTimes(one);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS.max; round += 1) {
    least = Math.min(least, await cpuMs(one, times));
    most = Math.min(most, await cpuMs(four, times));
    // What is far above stays there, and need not be waited for.
    const roundsMin = most > 2 * ratioMax * least ? 1 : ROUNDS.min;
    if (round >= roundsMin && (roundsMin === 1 || most <= ratioMax * least)) break;
  }
  return most / least;
}

/** As often as it takes to be measured; the first runs, which compile it, do not count. */
async function chooseTimes(work: Work): Promise<number> {
  for (let times = 1; ; times *= 2) {
    if ((await cpuMs(work, times)) >= CPU_MS_MIN && (await cpuMs(work, times)) >= CPU_MS_MIN) return times;
  }
}

async function cpuMs(work: Work, times: number): Promise<number> {
  const start = process.cpuUsage();
  for (let n = 0; n < times; n += 1) {
    const answer = work();
    if (answer instanceof Promise) await answer;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

export function printGrowth(growths: readonly Growth[]): void {
  console.log("| What grows | from | to | four times the input costs |\n|---|---|---|---|");
  for (const { what, size, ratio } of growths) {
    const cost = ratio === null ? "refused when it is declared" : `× ${ratio.toFixed(1)}`;
    console.log(`| ${what} | ${size} | ${4 * size} | ${cost} |`);
  }
}
