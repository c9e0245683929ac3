import { restorer } from "../../../dev/record/recorded.ts";
import { type Episode, Episodes } from "./episodes.ts";
import { type Change, isSame } from "./changes.ts";
import type { Detector, Finding, SeenWrite } from "./finding.ts";
import { listed, shortValue, times } from "./words.ts";

/** So often a value must be changed back. */
const least = 3;

interface LastChange extends Change {
  readonly writer: string;
}

interface Fight {
  readonly place: string;
  readonly name: string;
  readonly path: string;
  readonly writers: readonly [string, string];
  readonly values: readonly [unknown, unknown];
}

/** Two writers that set the same field in turn. */
export class FightDetector implements Detector {
  readonly #writers = new Map<string, string | true>();
  readonly #changes = new Map<string, Map<string, LastChange>>();
  readonly #fights = new Episodes<Fight>({ least });

  seeWrite(write: SeenWrite): void {
    const { place } = write;
    if (write.write === "DELETED") {
      this.#writers.delete(place);
      this.#changes.delete(place);
      return;
    }
    if (write.by?.user === restorer) return void this.#changes.delete(place);
    if (write.write === "KEPT" || !this.#hasSeveral(place, write.writer) || write.write === "ADDED") return;
    for (const change of write.changes()) this.#seeChange(write, change);
  }

  /** Most objects have one writer, and then nothing has to be compared. */
  #hasSeveral(place: string, writer: string): boolean {
    const known = this.#writers.get(place) ?? writer;
    const now = known === writer ? writer : true;
    this.#writers.set(place, now);
    return now === true;
  }

  #seeChange({ place, key, at, writer, object }: SeenWrite, change: Change): void {
    const { path, before, after } = change;
    let changes = this.#changes.get(place);
    if (changes === undefined) this.#changes.set(place, (changes = new Map()));
    const last = changes.get(path);
    changes.set(path, { ...change, writer });
    const id = `${place}\n${path}`;
    const isBack =
      last !== undefined &&
      last.writer !== writer &&
      isSame(last.before, after) &&
      isSame(last.after, before);
    const between = this.#fights.detailOf(id)?.writers ?? [writer];
    if (!between.includes(writer)) this.#fights.end(id);
    if (!isBack) return;
    this.#fights.hit(id, at, () => ({
      place,
      name: `${object.kind} ${key}`,
      path,
      writers: [last.writer, writer],
      values: [last.after, after],
    }));
  }

  /** A fight over several fields is one finding. */
  found(): Finding[] {
    const groups = new Map<string, Readonly<Episode<Fight>>[]>();
    for (const fight of this.#fights.told) {
      const { place, writers } = fight.detail;
      const key = [place, ...writers.toSorted()].join("\n");
      groups.set(key, [...(groups.get(key) ?? []), fight]);
    }
    return [...groups.values()].flatMap((fights): Finding[] => {
      const [first] = fights;
      if (first === undefined) return [];
      const { place, name, writers, values } = first.detail;
      const paths = [...new Set(fights.map(({ detail }) => detail.path))];
      const count = Math.max(...fights.map(({ count }) => count));
      const set = paths.length === 1 ? `, to ${shortValue(values[0])} and to ${shortValue(values[1])}` : "";
      return [
        {
          kind: "fight",
          title: `${writers.join(" and ")} fight over ${listed(paths)} of ${name}`,
          text: `${writers.join(" and ")} set ${listed(paths)} of ${name} in turn${set}, and changed it back ${times(count)}: let only one of them set it, and omit it from what the other one writes`,
          from: Math.min(...fights.map(({ from }) => from)),
          at: Math.max(...fights.map(({ at }) => at)),
          places: [place],
          requests: [],
        },
      ];
    });
  }
}
