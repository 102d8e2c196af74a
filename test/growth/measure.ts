/**
 * How the cost of some work grows with its input: CPU of this process for an input and for one that is sixteen times as
 * large, the least of several runs of each, in turns. Four times the input may cost five times as much, seven while
 * other programs have the machine, and sixteen times the input 49 times: linear work has 16, the square 256.
 *
 * Work of two kinds may jump once, as from texts that are compared to an index of them: what grows too fast must also
 * do so from four times the size on.
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
  /**
   * What nobody can do for less: to parse the text. It grows faster than its input where V8 goes over to other tables
   * of names, and these do not fit its caches; what comes on top may do so, too.
   */
  readonly makeLeast?: (size: number) => Work;
}

export interface Growth {
  readonly what: string;
  readonly size: number;
  /** For four times the input. `null`: refused. Infinite: the cost exploded on the way to the size. */
  readonly ratio: number | null;
  readonly isKept: boolean;
}

export const LINEAR_MAX = 7;
/** For work that is done once, however large its input: a page that is served. */
export const CONSTANT_MAX = 2;

export const FACTOR = 16;
/** Less is lost in the noise of a collection. */
const CPU_MS_MIN = 4;
const ROUNDS = { min: 2, max: 12, far: 3 };

export async function measureGrowth({ what, size, make, makeLeast, ratioMax = LINEAR_MAX }: Growing): Promise<Growth> {
  let ratio = Number.POSITIVE_INFINITY;
  for (const from of [size, 4 * size]) {
    const [one, many] = [make(from), make(FACTOR * from)];
    if (one === null || many === null) return { what, size, ratio: null, isKept: true };
    if (ratioMax === LINEAR_MAX && (await hasExploded({ make, size: from }))) break;
    ratio = Math.min(ratio, await compare(one, many, ratioMax));
    if (ratio > ratioMax && makeLeast !== undefined) {
      const least = await compare(makeLeast(from), makeLeast(FACTOR * from), 0);
      ratio *= Math.min(1, 4 / least);
    }
    if (ratio <= ratioMax || ratio > 2 * ratioMax) break;
  }
  return { what, size, ratio, isKept: ratio <= ratioMax };
}

/**
 * Goes up to the size in steps. What doubles with each letter or level would not come back from it: it is seen as soon
 * as such a step costs five times as much.
 */
async function hasExploded({ make, size }: Pick<Growing, "make" | "size">): Promise<boolean> {
  let before = Number.POSITIVE_INFINITY;
  for (let now = Math.min(4, size); now < FACTOR * size; now = Math.ceil((now < SMALL ? 1.15 : 1.6) * now)) {
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

/** What doubles with each has been seen until here. */
const SMALL = 64;

async function compare(one: Work, many: Work, ratioMax: number): Promise<number> {
  const [timesOfOne, timesOfMany] = [await chooseTimes(one), await chooseTimes(many)];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 1; ; round += 1) {
    least = Math.min(least, (await cpuMs(one, timesOfOne)) / timesOfOne);
    most = Math.min(most, (await cpuMs(many, timesOfMany)) / timesOfMany);
    const ratio = fourfold(most / least);
    const isClear = ratio <= ratioMax ? round >= ROUNDS.min : round >= ROUNDS.far && ratio > 2 * ratioMax;
    if (isClear || round === ROUNDS.max) return ratio;
  }
}

const fourfold = (ratio: number): number => ratio ** (Math.log(4) / Math.log(FACTOR));

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
    console.log(`| ${what} | ${size} | ${FACTOR * size} | ${cost} |`);
  }
}
