import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Points } from "./explore/coverage.ts";
import type { Exploration, Share } from "./explore/explore.ts";
import { isWithin } from "./operations/places.ts";

// `tsbuilder test --explore` runs the exploring test of a kind in several processes, one for each core that would be idle. They take
// plans in turn, and meet in a folder. The first process, whose output the user sees, tells what all of them found.

/** What a process found. */
export interface Report extends Omit<Exploration, "failure"> {
  /** The first seed that shows a mistake, and what the user is told about it. */
  readonly failure?: { readonly seed: number; readonly text: string } | undefined;
}

/** One of the processes, as `TSBUILDER_EXPLORE_SHARE` says. */
interface Place {
  readonly index: number;
  readonly count: number;
  readonly folder: string;
}

/** Returns the share of this process in the exploration of that name; undefined if it explores alone. */
export function shareIn(
  env: Readonly<Record<string, string | undefined>>,
  exploration: string,
): JointShare | undefined {
  const { TSBUILDER_EXPLORE_SHARE: place } = env;
  return place === undefined ? undefined : new JointShare(JSON.parse(place) as Place, exploration);
}

/** Milliseconds between two looks for the reports of others. */
const lookInterval = 50;

/** The share of one of several processes. The failure of the lowest seed wins, whichever process is faster. */
class JointShare implements Share {
  readonly #place: Place;
  readonly #exploration: string;

  constructor(place: Place, exploration: string) {
    this.#place = place;
    this.#exploration = exploration;
  }

  has(plan: number): boolean {
    return plan % this.#place.count === this.#place.index;
  }

  noteFailure(seed: number): void {
    this.#write(`failure ${seed}`, "");
  }

  isOver(seed: number): boolean {
    try {
      const prefix = `${this.#exploration} failure `;
      return this.#files().some(
        (name) => name.startsWith(prefix) && Number(name.slice(prefix.length)) < seed,
      );
    } catch {
      // Nobody waits for this process any more.
      return true;
    }
  }

  /** Hands in what this process found. Returns what all processes found if this is the first one, which waits for the others. */
  async join(own: Report): Promise<Report> {
    const { index, count } = this.#place;
    if (index > 0) this.#write(`report ${index}`, JSON.stringify(own));
    if (index > 0) return own;
    const reports = [own];
    for (let other = 1; other < count; other++) reports.push(...(await this.#reportOf(other)));
    return mergeReports(reports);
  }

  /** Waits for the report of another process. Returns none if it ended without one. */
  async #reportOf(index: number): Promise<Report[]> {
    const name = `${this.#exploration} report ${index}`;
    for (;;) {
      const files = this.#files();
      if (files.includes(name))
        return [JSON.parse(readFileSync(join(this.#place.folder, name), "utf8")) as Report];
      if (files.includes(`end ${index}`)) return [];
      await setTimeout(lookInterval);
    }
  }

  #files(): string[] {
    return readdirSync(this.#place.folder);
  }

  /** Writes a file under another name first: nobody reads the half of it. */
  #write(name: string, text: string): void {
    const path = join(this.#place.folder, `${this.#exploration} ${name}`);
    writeFileSync(`${path}.part`, text);
    renameSync(`${path}.part`, path);
  }
}

function mergeReports(reports: readonly Report[]): Report {
  const [failure] = reports.flatMap((report) => report.failure ?? []).toSorted((a, b) => a.seed - b.seed);
  // A process that made no run knows no fields.
  const known = reports.filter(({ runs }) => runs > 0).map(({ unchanged }) => unchanged);
  return {
    runs: reports.reduce((sum, { runs }) => sum + runs, 0),
    failure,
    crashPoints: mergePoints(reports.map(({ crashPoints }) => crashPoints)),
    calls: mergePoints(reports.map(({ calls }) => calls)),
    unchanged: unionOf(known).filter((field) =>
      known.every((unchanged) => unchanged.some((outer) => isWithin(field, outer))),
    ),
  };
}

/** Merges the points that several explorations came by: one that struck a point has struck it for all. */
export function mergePoints(parts: readonly Points[]): Points {
  const all = unionOf(parts.map((part) => part.all)).toSorted();
  const isStruck = (point: string): boolean =>
    parts.some((part) => part.all.includes(point) && !part.missed.includes(point));
  return { all, missed: all.filter((point) => !isStruck(point)) };
}

function unionOf(lists: ReadonlyArray<readonly string[]>): string[] {
  return [...new Set(lists.flat())];
}
